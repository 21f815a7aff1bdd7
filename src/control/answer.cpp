#include "control/answer.hpp"

#include "vtmirror/base/utf8.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace vtmirror::control {
namespace {

using base::Errc;

std::string_view reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 202:
      return "Accepted";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 422:
      return "Unprocessable Content";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    default:
      return "Internal Server Error";
  }
}

int status_of(Errc code) {
  if (code == Errc::config) return 422;
  if (code == Errc::locked) return 409;
  if (code == Errc::cancelled) return 503;
  return 500;
}

/// JSON must be UTF-8: if the text is not, each non-ASCII byte becomes a question mark.
std::string valid_text(std::string_view text) {
  std::string valid(text);
  if (base::valid_utf8(text)) return valid;
  for (char& byte : valid) {
    if (static_cast<unsigned char>(byte) >= 0x80) byte = '?';
  }
  return valid;
}

std::string head(int status) {
  return "HTTP/1.1 " + std::to_string(status) + " " + std::string(reason(status)) + "\r\n";
}

}  // namespace

Answer failure(int status, std::string_view code, std::string_view message) {
  const boost::json::object error{{"code", code}, {"message", valid_text(message)}};
  const boost::json::object body{{"error", error}};
  return {.status = status, .body = boost::json::serialize(body) + "\n"};
}

Answer failure(const base::Error& error) {
  const std::string message = error.detail.empty() ? error.message() : error.detail;
  return failure(status_of(error.code), base::name(error.code), message);
}

std::string text(const Answer& answer, bool keep_alive, Body body) {
  std::string all = head(answer.status);
  all += "Content-Type: " + answer.type + "\r\n";
  all += "Content-Length: " + std::to_string(answer.body.size()) + "\r\n";
  all += "Cache-Control: no-store\r\n";
  if (!answer.allow.empty()) all += "Allow: " + answer.allow + "\r\n";
  all += keep_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  if (body == Body::sent) all += answer.body;
  return all;
}

std::string events_head() {
  return head(200) + "Content-Type: text/event-stream\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n";
}

std::string event_text(std::string_view event, std::string_view json) {
  std::string all = "event: ";
  for (const char letter : event) {
    if (letter != '\n' && letter != '\r') all += letter;
  }
  all += "\ndata: ";
  for (const char letter : json) {
    if (letter == '\r') continue;  // would end a line for a reader of events
    all += letter;
    if (letter == '\n') all += "data: ";
  }
  return all + "\n\n";
}

}  // namespace vtmirror::control
