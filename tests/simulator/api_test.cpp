#include "simulator/client.hpp"

#include <doctest/doctest.h>
#include <boost/json/serialize.hpp>

namespace vtmirror::simulator {
namespace {

TEST_CASE("the listing has the day's files with their sizes, dates and links of their own") {
  Client client(R"({"delta_bytes":5000,"bulk_bytes":70000})");
  const boost::json::value listing = client.list();
  REQUIRE(listing.at("bulk").as_array().size() == 1);
  REQUIRE(listing.at("delta").as_array().size() == 4);
  CHECK(listing.at("bulk").at(0).at("fileSize") == 70'000);
  const boost::json::value& delta = listing.at("delta").at(3);
  CHECK(delta.at("filename") == "v1/public/delta/year=2026/month=11/day=18/delta-light-vehicle_18-11-2026.zip");
  CHECK(delta.at("fileSize") == 5'000);
  CHECK(delta.at("fileCreatedOn") == "2026-11-18");
  CHECK(std::string_view(delta.at("downloadUrl").as_string())
            .starts_with("https://localhost:3/v1/public/delta/year=2026/"));
}

TEST_CASE("a call without its headers, or with wrong ones, gets the code of its fault") {
  Client client;
  const auto list = [&](Headers headers) { return client.ask(At::api, "GET", listing_path, std::move(headers)); };
  const std::string bearer = "Bearer " + client.token();
  CHECK(error_code(list({{"x-api-key", client.identity.api_key}})) == "MOTH-FB-04");
  CHECK(error_code(list({{"authorization", "Bearer x"}, {"x-api-key", client.identity.api_key}})) == "MOTH-UA-01");
  CHECK(error_code(list({{"authorization", "Basic x"}, {"x-api-key", client.identity.api_key}})) == "MOTH-UA-01");
  CHECK(error_code(list({{"authorization", bearer}, {"x-api-key", "x"}})) == "MOTH-FB-03");
  CHECK(list({{"authorization", bearer}}).status == 403);
  CHECK(list({{"authorization", bearer}, {"x-api-key", client.identity.api_key}}).status == 200);
}

TEST_CASE("a token ends when its time is over, or when the test says so") {
  Client client(R"({"token_seconds":60})");
  const Headers credentials = client.credentials();
  const auto list = [&] { return client.ask(At::api, "GET", listing_path, credentials); };
  client.now += std::chrono::milliseconds(59'999);
  CHECK(list().status == 200);
  client.now += std::chrono::milliseconds(1);
  CHECK(list().status == 403);
  CHECK(error_code(list()) == "MOTH-FB-02");
  const Headers fresh = client.credentials();
  client.ask(At::control, "POST", "/expire_tokens", {}, "{}");
  CHECK(error_code(client.ask(At::api, "GET", listing_path, fresh)) == "MOTH-FB-02");
}

TEST_CASE("the issuer says how long its token lives") {
  Client client(R"({"token_seconds":1199})");
  const boost::json::value token = boost::json::parse(client.ask_token(client.form()).text);
  CHECK(token.at("token_type") == "Bearer");
  CHECK(token.at("expires_in") == 1199);
  CHECK(token.at("ext_expires_in") == 1199);
}

TEST_CASE("the issuer checks every field of the form") {
  Client client;
  const auto refusal = [&](const std::string& from, const std::string& to) {
    std::string form = client.form();
    form.replace(form.find(from), from.size(), to);
    const Answer answer = client.ask_token(form);
    CHECK(answer.status >= 400);
    return std::string(boost::json::parse(answer.text).at("error").as_string());
  };
  CHECK(refusal("client_credentials", "password") == "unsupported_grant_type");
  CHECK(refusal(client.identity.client_id, "other") == "unauthorized_client");
  CHECK(refusal("client_secret=secret", "client_secret=wrong") == "invalid_client");
  CHECK(refusal("client_secret=", "secret=") == "invalid_request");
  CHECK(refusal("default", "other") == "invalid_scope");
  CHECK(client.ask(At::issuer, "POST", token_path, {{"content-type", "application/json"}}, client.form()).status ==
        400);
  CHECK(client.ask(At::issuer, "GET", token_path).status == 405);
}

TEST_CASE("a secret that has expired is refused as an identity provider refuses it") {
  Client client(R"({"secret_expired":true})");
  const Answer answer = client.ask_token(client.form());
  CHECK(answer.status == 401);
  CHECK(boost::json::parse(answer.text).at("error") == "invalid_client");
  CHECK(boost::json::parse(answer.text).at("error_codes").at(0) == 7000222);
}

TEST_CASE("a new secret works beside the old one, up to three") {
  Client client;
  const auto rotate = [&] {
    boost::json::object body{{"cloudApiKeyValue", client.identity.api_key}, {"email", client.identity.email}};
    return client.ask(At::api, "PUT", credentials_path, client.credentials(), boost::json::serialize(body));
  };
  const Answer first = rotate();
  REQUIRE(first.status == 200);
  CHECK(client.ask_token(client.form()).status == 200);
  client.identity.client_secrets.emplace_back(boost::json::parse(first.text).at("clientSecret").as_string());
  CHECK(client.ask_token(client.form()).status == 200);
  CHECK(rotate().status == 200);
  CHECK(rotate().status == 412);
  CHECK(error_code(rotate()) == "MOTH-PC-01");
}

TEST_CASE("a new secret is issued only to a request with key and address, and nothing else") {
  Client client;
  const auto put = [&](const std::string& body) {
    return client.ask(At::api, "PUT", credentials_path, client.credentials(), body).status;
  };
  CHECK(put("") == 400);
  CHECK(put(R"({"cloudApiKeyValue":"x","email":"mirror@client.example"})") == 403);
  CHECK(put("{\"cloudApiKeyValue\":\"" + client.identity.api_key + "\",\"email\":\"other@client.example\"}") == 400);
  CHECK(put("{\"awsApiKeyValue\":\"" + client.identity.api_key + "\",\"email\":\"mirror@client.example\"}") == 400);
}

TEST_CASE("there is nothing at another address") {
  Client client;
  CHECK(error_code(client.ask(At::api, "GET", "/v1/trade/vehicles", client.credentials())) == "MOTH-NF-02");
}

TEST_CASE("a script can put entries and whole texts into the listing") {
  Client client(
      R"({"extra_entries":{"delta":[{"filename":"../evil.zip","downloadUrl":"@sign","fileSize":777},{"x":1},7]}})");
  const boost::json::value listing = client.list();
  CHECK(listing.at("delta").as_array().size() == 7);
  CHECK(listing.at("delta").at(4).at("filename") == "../evil.zip");
  CHECK(listing.at("delta").at(6) == 7);
  const Answer answer = client.get(client.link("delta", 4));
  CHECK(answer.status == 200);
  CHECK(answer.file->length == 777);
  client.ask(At::control, "POST", "/script", {}, R"({"listing_raw":"<html>"})");
  CHECK(client.ask(At::api, "GET", listing_path, client.credentials()).text == "<html>");
}

TEST_CASE("the day moves on when the test says so") {
  Client client;
  CHECK(client.ask(At::control, "POST", "/date", {}, R"({"date":"2026-11-22"})").status == 200);
  CHECK(client.list().at("delta").as_array().size() == 1);
  CHECK(client.ask(At::control, "POST", "/date", {}, R"({"date":"2026-02-30"})").status == 400);
  CHECK(client.ask(At::control, "POST", "/script", {}, R"({"absents":[]})").status == 400);
  CHECK(client.ask(At::control, "GET", "/nothing").status == 404);
}

}  // namespace
}  // namespace vtmirror::simulator
