#include "cli/consumer_arguments.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/core/consumer.hpp"

namespace vtmirror::cli {
namespace {

CLI::Validator consumer_name() {
  return CLI::Validator(
      [](std::string& text) {
        return core::is_consumer_name(text)
                   ? std::string()
                   : "must be 1 to 64 letters, digits, -, _ or ., not " + base::printable(text, 80);
      },
      "");
}

CLI::Validator day() {
  return CLI::Validator(
      [](std::string& text) {
        return base::parse_date(text) ? std::string()
                                      : "must be a day such as 2026-11-18, not " + base::printable(text, 80);
      },
      "");
}

CLI::Validator duration() {
  return CLI::Validator(
      [](std::string& text) {
        return base::parse_duration(text)
                   ? std::string()
                   : "must be a duration such as 30s, 10m or 6h, not " + base::printable(text, 80);
      },
      "");
}

}  // namespace

void add_consumer_commands(const std::function<CLI::App*(const std::string&, const std::string&, Command)>& add,
                           Arguments& read) {
  auto* next = add("next", "Show which files a consumer loads next, in load order", Command::next);
  next->add_option("NAME", read.consumer, "The consumer's own name")->type_name("")->required()->check(consumer_name());
  next->add_flag("--json", read.json, "Print JSON");
  auto* ack = add("ack", "Record that a consumer has loaded the files of a ticket", Command::ack);
  ack->add_option("NAME", read.consumer, "The consumer's own name")->type_name("")->required()->check(consumer_name());
  ack->add_option("TICKET", read.ticket, "The ticket that next gave")->type_name("")->required();
  auto* consumers = add("consumers", "List the consumers, and how far behind each is", Command::consumers);
  auto* json = consumers->add_flag("--json", read.json, "Print JSON");
  consumers->add_option("--forget", read.consumer, "Drop a consumer that is no longer needed")
      ->type_name("NAME")
      ->check(consumer_name())
      ->excludes(json);
  auto* wait = add("wait", "Wait until the chain is complete through a day", Command::wait);
  wait->add_option("--through", read.through, "The day (default: that of today's delta)")
      ->type_name("DATE")
      ->check(day());
  wait->add_option("--timeout", read.timeout, "Exit with status 1 after that time, such as 30m (default: never)")
      ->type_name("TIME")
      ->check(duration());
}

}  // namespace vtmirror::cli
