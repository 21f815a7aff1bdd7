// Token issuer and /credentials without HTTP. They accept the secrets that they issued; a test can change their
// answers. Counts the requests, and keeps the secrets that token requests used.
#pragma once

#include "vtmirror/ports/http.hpp"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace vtmirror::test {

class SecretService : public ports::Http {
 public:
  std::set<std::string> accepted{"old"};
  std::vector<std::string> issued;
  int tokens = 0;
  int asked = 0;  ///< the number of requests for a new secret
  ports::Request last_asked;
  std::vector<std::string> tried;  ///< the secrets of the token requests, in order

  /// Replaces the right answer to /credentials.
  std::function<base::Result<ports::Response>()> credentials_script;
  /// An error before anything is sent.
  std::function<std::optional<base::Error>(const ports::Request&)> connect_script;

  boost::asio::awaitable<base::Result<ports::Response>> exchange(ports::Request request) override {
    if (connect_script)
      if (auto failed = connect_script(request)) co_return *failed;
    if (request.sending) request.sending();
    auto answer = request.url.ends_with("/token") ? token(request) : credentials(request);
    co_return answer;
  }
  std::unique_ptr<ports::Lane> lane() override { return nullptr; }

 private:
  base::Result<ports::Response> token(const ports::Request& request) {
    ++tokens;
    const auto begin = request.body.find("client_secret=") + 14;
    const auto secret = request.body.substr(begin, request.body.find('&', begin) - begin);
    tried.push_back(secret);
    if (!accepted.contains(secret))
      return ports::Response{.status = 401, .body = R"({"error":"invalid_client","error_description":"wrong"})"};
    return ports::Response{
        .status = 200,
        .body = R"({"token_type":"Bearer","expires_in":3599,"access_token":"token-of-)" + secret + "\"}"};
  }

  base::Result<ports::Response> credentials(const ports::Request& request) {
    ++asked;
    last_asked = request;
    if (credentials_script) return credentials_script();
    issued.push_back("new-" + std::to_string(issued.size() + 1));
    accepted.insert(issued.back());
    return ports::Response{
        .status = 200, .body = R"({"clientSecret":")" + issued.back() + "\"}", .content_type = "application/json"};
  }
};

}  // namespace vtmirror::test
