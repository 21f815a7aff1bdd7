#include "simulator/request_log.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace vtmirror::simulator {
namespace json = boost::json;
namespace {

json::object headers_of(const Request& request) {
  json::object headers;
  for (const auto& [name, value] : request.headers) headers[name] = value;
  return headers;
}

json::object line_of(std::uint64_t number, const Request& request, const Answer& answer, const LogEntry& entry) {
  const auto range = request.header("range");
  json::object line;
  line["n"] = number;
  line["at"] = name(request.at);
  line["connection"] = entry.connection;
  line["method"] = request.method;
  line["path"] = request.path;
  line["query"] = !request.query.empty();
  line["headers"] = headers_of(request);
  line["range"] = nullptr;
  if (range) line["range"] = *range;
  line["status"] = answer.delivery.no_answer ? 0 : answer.status;
  line["sent"] = entry.sent;
  line["complete"] = entry.complete;
  line["fault"] = nullptr;
  if (!answer.fault.empty()) line["fault"] = answer.fault;
  return line;
}

}  // namespace

base::Result<void> RequestLog::open(const std::string& path) {
  file_.open(path, std::ios::trunc);
  if (!file_) return base::Error{base::Errc::io, "cannot write " + path};
  return {};
}

void RequestLog::add(const Request& request, const Answer& answer, const LogEntry& entry) {
  const std::lock_guard lock(mutex_);
  lines_.push_back(json::serialize(line_of(lines_.size() + 1, request, answer, entry)));
  file_ << lines_.back() << '\n' << std::flush;
}

std::string RequestLog::array() {
  const std::lock_guard lock(mutex_);
  std::string all = "[";
  for (const std::string& line : lines_) all += (all.size() > 1 ? ",\n" : "") + line;
  return all + "]\n";
}

}  // namespace vtmirror::simulator
