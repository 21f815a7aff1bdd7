// A fault that a script requests: at which host, for which requests, how often, and what goes wrong.
// The list decides which request gets which fault; `misbehave` applies a fault to an answer.
#pragma once

#include "simulator/request.hpp"

#include "vtmirror/base/result.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vtmirror::simulator {

struct Fault {
  std::optional<std::string> at{};  ///< "api", "issuer", "store"; empty: any of them
  std::string match{};              ///< a part of the path
  std::uint64_t skip = 0;           ///< how many matching requests pass first
  std::uint64_t times = 1;          ///< 0: unlimited

  // Replace the answer. "@client_secret", "@api_key" and "@token" (the newest) stand for the client's, in these texts
  // and in `etag`:
  std::optional<int> status{};
  Headers headers{};
  std::optional<std::string> body{};
  std::string content_type = "text/plain";
  std::optional<std::string> redirect{};
  bool html = false;
  bool close = false;
  // Change the delivery of any answer:
  std::optional<std::uint64_t> delay_ms{};
  std::optional<std::uint64_t> cut_after{};
  std::optional<std::uint64_t> stall_after{};
  std::optional<std::uint64_t> rate{};
  bool huge_header = false;
  bool no_length = false;
  // Change the store's file:
  std::optional<std::string> etag{};
  std::optional<std::uint64_t> truncate_total{};
  std::optional<std::uint64_t> wrong_total{};
  std::optional<std::uint64_t> flip_at{};
  bool ignore_range = false;
  bool ignore_if_match = false;
  bool wrong_range = false;

  std::string label{};  ///< the effects' names, joined by '+'
};

/// The fault with the values in place of those words.
using Echoes = std::vector<std::pair<std::string, std::string>>;
Fault echoing(Fault fault, const Echoes& echoes);

/// Errors: config, for an unknown member or a wrong type.
base::Result<Fault> read_fault(const boost::json::object& object);
base::Result<std::vector<Fault>> read_faults(const boost::json::array& array);

/// Faults in the order of the script, each with its own count of matching requests.
class FaultList {
 public:
  FaultList() = default;
  explicit FaultList(std::vector<Fault> faults);

  /// The first fault that is due for this request. Counts the request for the returned fault and for every matching one
  /// before it.
  std::optional<Fault> next(At at, std::string_view path);

 private:
  struct Armed {
    Fault fault;
    std::uint64_t met = 0;
  };
  std::vector<Armed> armed_;
};

/// The answer that replaces the real one, if the fault requests that.
std::optional<Answer> replacement(const Fault& fault);
/// Changes how an answer is delivered.
void misbehave(const Fault& fault, Answer& answer);

}  // namespace vtmirror::simulator
