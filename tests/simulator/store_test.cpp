#include "simulator/client.hpp"
#include "simulator/digest.hpp"

#include <doctest/doctest.h>

namespace vtmirror::simulator {
namespace {

// A client whose next request of the store meets this fault.
struct Faulty : Client {
  explicit Faulty(const std::string& effect)
      : Client("{\"delta_bytes\":100000,\"faults\":[{\"at\":\"store\"," + effect + "}]}") {}
};

TEST_CASE("a link gives the whole file, with its version's name") {
  Client client(R"({"delta_bytes":5000})");
  const Answer answer = client.get(client.link("delta", 1));
  CHECK(answer.status == 200);
  REQUIRE(answer.file);
  CHECK(answer.file->offset == 0);
  CHECK(answer.file->length == 5'000);
  CHECK(header(answer, "Accept-Ranges") == "bytes");
  CHECK(header(answer, "ETag").size() > 30);
}

TEST_CASE("a range gives that part, and one past the end says how long the file is") {
  Client client(R"({"delta_bytes":5000})");
  const std::string link = client.link("delta", 1);
  const Answer part = client.get(link, {{"range", "bytes=100-199"}});
  CHECK(part.status == 206);
  CHECK(part.file->offset == 100);
  CHECK(part.file->length == 100);
  CHECK(header(part, "Content-Range") == "bytes 100-199/5000");
  const Answer past = client.get(link, {{"range", "bytes=5000-"}});
  CHECK(past.status == 416);
  CHECK(header(past, "Content-Range") == "bytes */5000");
}

TEST_CASE("a condition holds for the version of the link's file, and fails for any other") {
  Client client(R"({"delta_bytes":5000})");
  const std::string link = client.link("delta", 1);
  const std::string etag = header(client.get(link), "ETag");
  CHECK(client.get(link, {{"if-match", etag}, {"range", "bytes=0-0"}}).status == 206);
  CHECK(client.get(link, {{"if-match", "\"x\""}}).status == 412);
  client.ask(At::control, "POST", "/script", {}, R"({"republish":{"2026-11-16":2}})");
  CHECK(client.get(link, {{"if-match", etag}}).status == 412);
  CHECK(header(client.get(link), "ETag") != etag);
}

TEST_CASE("an expired link is refused with the words of the store, and so is every link when the test says so") {
  Client client;
  const std::string link = client.link("delta", 1);
  client.now += std::chrono::seconds(301);
  const Answer late = client.get(link);
  CHECK(late.status == 403);
  for (const char* part :
       {"<Code>AccessDenied</Code>", "<Message>Request has expired</Message>", "<X-Amz-Expires>300</X-Amz-Expires>",
        "<Expires>2026-11-18T08:05:00Z</Expires>", "<ServerTime>2026-11-18T08:05:01Z</ServerTime>"}) {
    CHECK(late.text.find(part) != std::string::npos);
  }
  const std::string fresh = client.link("delta", 1);
  CHECK(client.get(fresh).status == 200);
  client.ask(At::control, "POST", "/expire_links", {}, "{}");
  CHECK(client.get(fresh).text.find("Request has expired") != std::string::npos);
  CHECK(client.get(client.link("delta", 1)).status == 200);
}

TEST_CASE("a forged link is refused, and the refusal quotes the credential, as such stores do") {
  Client client;
  const Answer answer = client.get(client.link("delta", 1) + "0");
  CHECK(answer.status == 403);
  CHECK(answer.text.find("SignatureDoesNotMatch") != std::string::npos);
  CHECK(answer.text.find("VTSIMULATOR0/20261118") != std::string::npos);
  CHECK(client.get("/v1/public/x.zip").status == 403);
}

TEST_CASE("a link is for GET alone") {
  Client client;
  CHECK(client.ask(At::store, "HEAD", client.link("bulk", 0), {{"host", "localhost:3"}}).status == 403);
}

TEST_CASE("the digests that a test can query are those of the served bytes") {
  Client client(R"({"delta_bytes":5000,"bulk_bytes":70000})");
  const boost::json::value files = boost::json::parse(client.ask(At::control, "GET", "/files").text);
  CHECK(files.as_object().size() == 5);
  const Answer answer = client.get(client.link("bulk", 0));
  const auto& logged = files.at("v1/public/bulk/year=2026/month=11/day=15/bulk-light-vehicle_15-11-2026.zip");
  CHECK(logged.at("size") == 70'000);
  CHECK(logged.at("sha256") == sha256(*answer.file->archive).c_str());
}

TEST_CASE("a file too large for a digest is returned with its size alone") {
  Client client(R"({"bulk_sparse_bytes":40000000000,"delta_bytes":500})");
  const boost::json::value files = boost::json::parse(client.ask(At::control, "GET", "/files").text);
  const auto& logged = files.at("v1/public/bulk/year=2026/month=11/day=15/bulk-light-vehicle_15-11-2026.zip");
  CHECK(logged.at("size") == 40'000'000'000);
  CHECK(logged.at("sha256").is_null());
}

TEST_CASE("a store that ignores ranges sends the whole file") {
  Faulty client(R"("ignore_range":true)");
  const Answer answer = client.get(client.link("delta", 0), {{"range", "bytes=10-19"}});
  CHECK(answer.status == 200);
  CHECK(answer.file->length == 100'000);
  CHECK(header(answer, "Accept-Ranges").empty());
}

TEST_CASE("a store that sends another range than it was asked for says so") {
  Faulty client(R"("wrong_range":true,"times":2)");
  const std::string link = client.link("delta", 0);
  CHECK(header(client.get(link, {{"range", "bytes=10-19"}}), "Content-Range") == "bytes 11-20/100000");
  CHECK(header(client.get(link, {{"range", "bytes=99990-"}}), "Content-Range") == "bytes 99989-99998/100000");
}

TEST_CASE("a store can lie about the total, and about the version") {
  Faulty lying(R"("wrong_total":7)");
  CHECK(header(lying.get(lying.link("delta", 0), {{"range", "bytes=10-19"}}), "Content-Range") == "bytes 10-19/7");
  Faulty changed(R"("etag":"\"other\"","times":0)");
  const std::string link = changed.link("delta", 0);
  CHECK(header(changed.get(link), "ETag") == "\"other\"");
  CHECK(changed.get(link, {{"if-match", "\"mine\""}}).status == 412);
  Faulty careless(R"("ignore_if_match":true)");
  CHECK(careless.get(careless.link("delta", 0), {{"if-match", "\"mine\""}}).status == 200);
}

TEST_CASE("an object that really is shorter than listed is so in every way") {
  Faulty client(R"("truncate_total":500,"times":0)");
  const std::string link = client.link("delta", 0);
  CHECK(client.get(link).file->length == 500);
  CHECK(header(client.get(link, {{"range", "bytes=490-600"}}), "Content-Range") == "bytes 490-499/500");
  CHECK(client.get(link, {{"range", "bytes=500-"}}).status == 416);
}

TEST_CASE("a whole answer with a wrong total promises what does not come, and ends the connection") {
  Faulty client(R"("wrong_total":200000)");
  const Answer answer = client.get(client.link("delta", 0));
  CHECK(answer.length == 200'000);
  CHECK(answer.file->length == 100'000);
  CHECK(answer.delivery.close_after);
}

}  // namespace
}  // namespace vtmirror::simulator
