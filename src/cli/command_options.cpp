#include "cli/command_options.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/core/consumer.hpp"

namespace vtmirror::cli {
namespace {

CLI::Validator consumer_name() {
  return CLI::Validator(
      [](std::string& text) {
        return core::is_consumer_name(text) ? std::string()
                                            : "must be 1 to 64 letters, digits, -, _ or ., not " +
                                                  (text.empty() ? "empty" : base::printable(text, 80));
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

CLI::Validator rate() {
  return CLI::Validator(
      [](std::string& text) {
        const auto bytes = base::parse_rate(text);
        return bytes && *bytes <= base::largest_rate
                   ? std::string()
                   : "must be a rate such as 20MB/s, 1TB/s at most, not " + base::printable(text, 80);
      },
      "");
}

CLI::App* with_json(CLI::App* app, Arguments& read) {
  app->add_flag("--json", read.json, "Print JSON");
  return app;
}

}  // namespace

void add_mirror_commands(const AddCommand& add, Arguments& read) {
  add("run", "Run the daemon in the foreground", Command::run);
  auto* sync = add("sync", "Bring the mirror up to date now", Command::sync);
  sync->add_flag("--dry-run", read.dry_run, "Print what would be done and why; change nothing");
  sync->add_flag("--refill", read.refill, "Fill a new, empty mirror: download all files again");
  auto* json = sync->add_flag("--json", read.json, "Print an event a line; with --dry-run, the plan");
  sync->add_flag("--quiet", read.quiet, "Print nothing unless something is wrong")->excludes(json);
  auto* verify = with_json(add("verify", "Read held files again and compare their digests", Command::verify), read);
  verify->add_flag("--repair", read.repair, "Download damaged and lost files again");
  verify->add_option("--rate", read.rate, "Limit the reading rate, such as 20MB/s")->type_name("RATE")->check(rate());
  verify->add_option("NAME", read.names, "bulk, a day (2026-11-16) or a name (default: all)")
      ->type_name("")
      ->expected(0, -1);
  auto* adopt = add("adopt", "Check the files of a folder and adopt them", Command::adopt);
  adopt->add_option("DIR", read.directory, "The folder; it is left as it is")->type_name("")->required();
  adopt->add_flag("--copy", read.copy, "Always copy, never link");
  auto* prune = add("prune", "Remove what mirror.keep_cycles no longer keeps", Command::prune);
  prune->add_flag("--dry-run", read.dry_run, "Print what would be removed; remove nothing");
}

void add_views(const AddCommand& add, Arguments& read) {
  auto* status = with_json(add("status", "Ask the daemon what it is doing and what is wrong", Command::status), read);
  auto* watch = status->add_flag("--watch", read.watch, "Keep showing the status as it changes");
  status->add_flag("--check", read.check, "Print one line, as a monitoring plugin does")
      ->excludes(watch)
      ->excludes("--json");
  with_json(add("files", "List what the mirror holds", Command::files), read);
  auto* coverage =
      with_json(add("coverage", "Show the chain to load, and which files it lacks", Command::coverage), read);
  coverage->add_flag("--calendar", read.calendar, "Draw the days of a year");
  auto* history = with_json(add("history", "List past cycles, newest first", Command::history), read);
  history->add_option("-n,--newest", read.newest, "Number of cycles")
      ->type_name("N")
      ->capture_default_str()
      ->check(number_from<int>(1));
  auto* changes = with_json(add("changes", "List the files published, superseded or removed", Command::changes), read);
  changes->add_option("--since", read.since, "List changes after this generation")
      ->type_name("GENERATION")
      ->required()
      ->check(number_from<std::int64_t>(0));
}

void add_config_commands(const AddCommand& add, Arguments& read) {
  auto* init = add("init", "Ask for the settings, write and test them", Command::config_init);
  auto& answers = read.init;
  init->add_option("--base-url", answers.base_url, "Address of the service")->type_name("URL");
  init->add_option("--token-url", answers.token_url, "Address of the token issuer")->type_name("URL");
  init->add_option("--scope", answers.scope, "Scope of the token, ends in .default")->type_name("SCOPE");
  init->add_option("--client-id", answers.client_id, "Client ID")->type_name("ID");
  init->add_option("--email", answers.email, "E-mail address of the registration")->type_name("ADDRESS");
  init->add_option("--client-secret-file", answers.client_secret_file, "File that holds the client secret")
      ->type_name("FILE");
  init->add_option("--api-key-file", answers.api_key_file, "File that holds the API key")->type_name("FILE");
  init->add_option("--ca-file", answers.ca_file, "Further trusted certificates, PEM")->type_name("FILE");
  init->add_option("--output", answers.output, "The settings file to write")->type_name("FILE");
  init->add_flag("--force", answers.force, "Replace what the options give, or every answer");
  auto* check = add("check", "Report every mistake in the settings at once", Command::config_check);
  check->add_flag("--online", read.online, "Also test them with one token and one listing");
  add("show", "Print the effective settings, secrets masked", Command::config_show);
}

void add_secret_commands(const AddCommand& add, Arguments& read) {
  with_json(add("status", "Show the secret in use, its age and its expiry", Command::secret_status), read);
  add("rotate", "Request a new secret, verify it and use it", Command::secret_rotate);
  add("set", "Read a new secret from stdin, verify and use it", Command::secret_set);
}

void add_consumer_commands(const AddCommand& add, Arguments& read) {
  auto* cat = add("cat", "Print the JSON lines of a file or of the chain", Command::cat);
  cat->add_option("FILE", read.file, "bulk, a day such as 2026-11-16, or a file's name")->type_name("");
  cat->add_option("MEMBER", read.member, "Only this member of it")->type_name("");
  cat->add_flag("--chain", read.chain, "Print all files of the chain, in load order");
  auto* next = add("next", "Show what a consumer loads next, in load order", Command::next);
  next->add_option("NAME", read.consumer, "The consumer's own name")->type_name("")->required()->check(consumer_name());
  next->add_flag("--json", read.json, "Print JSON");
  auto* ack = add("ack", "Record that a consumer has loaded a ticket's files", Command::ack);
  ack->add_option("NAME", read.consumer, "The consumer's own name")->type_name("")->required()->check(consumer_name());
  ack->add_option("TICKET", read.ticket, "The ticket that next gave")->type_name("")->required();
  auto* consumers = add("consumers", "List the consumers, and how far behind each is", Command::consumers);
  auto* json = consumers->add_flag("--json", read.json, "Print JSON");
  consumers->add_option("--forget", read.consumer, "Drop a consumer that is no longer needed")
      ->type_name("NAME")
      ->check(consumer_name())
      ->excludes(json);
  auto* wait = add("wait", "Wait until the chain is complete through a day", Command::wait);
  wait->add_option("--through", read.through, "The day (default: the newest whose delta is due)")
      ->type_name("DATE")
      ->check(day());
  wait->add_option("--timeout", read.timeout, "Give up after that time, such as 30m")
      ->type_name("TIME")
      ->check(duration());
}

}  // namespace vtmirror::cli
