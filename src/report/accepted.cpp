#include "vtmirror/report/accepted.hpp"

#include "report/json_value.hpp"

namespace vtmirror::report {
namespace {

std::string text_of(const boost::json::object& json) { return boost::json::serialize(json) + '\n'; }

}  // namespace

std::string cycle_accepted(std::int64_t number) {
  return text_of({{"schema", answer_schema}, {"accepted", true}, {"cycle", number}});
}

std::string verification_accepted(std::int64_t number) {
  return text_of({{"schema", answer_schema}, {"accepted", true}, {"verification", number}});
}

std::string settings_reloaded() { return text_of({{"schema", answer_schema}, {"reloaded", true}}); }

}  // namespace vtmirror::report
