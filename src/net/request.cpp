#include "net/request.hpp"

#include <algorithm>
#include <string_view>

namespace vtmirror::net {
namespace {

using base::Errc;
using base::Error;

bool is_token(std::string_view text) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  const auto allowed = [marks](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           marks.find(c) != std::string_view::npos;
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), allowed);
}

bool is_one_line(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

void add(std::string& text, std::string_view name, std::string_view value) {
  text.append(name).append(": ").append(value).append("\r\n");
}

std::string opening(std::string_view method, const std::string& target, const std::string& host,
                    const std::string& user_agent) {
  std::string text;
  text.reserve(2048);
  text.append(method).append(" ").append(target).append(" HTTP/1.1\r\n");
  add(text, "Host", host);
  add(text, "User-Agent", user_agent);
  return text;
}

}  // namespace

base::Result<std::string> request_text(const base::Url& url, const ports::Request& request,
                                       const std::string& user_agent) {
  if (!is_token(request.method)) return Error{Errc::config, "not a method: " + request.method.substr(0, 20)};
  std::string text = opening(request.method, url.target, url.authority(), user_agent);
  // Reserved at once, because a growing string would leave copies of a token or a secret behind.
  std::size_t size = text.size() + request.body.size() + 256;
  for (const auto& header : request.headers) size += header.name.size() + header.value.size() + 4;
  text.reserve(size);
  for (const auto& header : request.headers) {
    // Names only the header, because its value may be secret.
    if (!is_token(header.name) || !is_one_line(header.value))
      return Error{Errc::config,
                   "header " + header.name.substr(0, 40) + " contains characters that a header must not contain"};
    add(text, header.name, header.value);
  }
  if (!request.body.empty() || (request.method != "GET" && request.method != "HEAD"))
    add(text, "Content-Length", std::to_string(request.body.size()));
  add(text, "Connection", "close");
  return text.append("\r\n").append(request.body);
}

std::string range_request_text(const base::Url& url, core::Range range, const std::string& if_match,
                               const std::string& user_agent) {
  std::string text = opening("GET", url.target, url.authority(), user_agent);
  add(text, "Accept", "*/*");
  add(text, "Accept-Encoding", "identity");
  add(text, "Range", "bytes=" + std::to_string(range.begin) + "-" + std::to_string(range.end - 1));
  if (!if_match.empty() && is_one_line(if_match)) add(text, "If-Match", if_match);
  return text + "\r\n";
}

std::string connect_request_text(const base::Url& url, const Proxy& proxy, const std::string& user_agent) {
  std::string text = opening("CONNECT", url.endpoint(), url.endpoint(), user_agent);
  if (!proxy.authorization.empty()) add(text, "Proxy-Authorization", proxy.authorization.reveal());
  return text + "\r\n";
}

}  // namespace vtmirror::net
