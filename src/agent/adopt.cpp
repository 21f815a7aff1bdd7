// The step of a cycle that adopts files that are already on disk: those that somebody put there, and lost ones that are
// back.
#include "agent/cycle.hpp"
#include "vtmirror/report/sentence.hpp"

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

/// The published digest; empty where none was made.
base::Result<std::string> digest_of(const catalogue::Files& catalogue, const std::string& name) {
  const auto file = catalogue.file(name);
  if (!file) return file.error();
  return *file ? (*file)->sha256 : std::string();
}

}  // namespace

awaitable<void> Cycle::adopt_all() {
  for (const auto& action : plan_->actions) {
    if (action.kind != core::ActionKind::adopt) continue;
    const auto adopted = co_await adopt(action);
    if (adopted) {
      tally_.adopted();
      log(ports::EventKind::adopted, ports::Level::notice,
          "adopted " + core::short_name(action.name) + ", which was already on disk", {{"file", action.name}});
    } else if (adopted.error().code == base::Errc::integrity) {
      failed_checks_.push_back(action.name);
    } else {
      log(ports::EventKind::fetch_failed, ports::Level::error,
          core::short_name(action.name) +
              " could not be adopted in this cycle: " + report::reason(adopted.error(), action.name),
          {{"file", action.name}, {"reason", std::string(base::name(adopted.error().code))}});
      note_failure(action.name, adopted.error());
    }
  }
}

awaitable<base::Result<void>> Cycle::adopt(core::Action action) {
  std::string published;
  if (action.reason == core::Reason::back_on_disk) {
    auto read = [name = action.name](catalogue::Files& files) { return digest_of(files, name); };
    const auto digest = co_await resources_.calls(std::move(read));
    if (!digest) co_return digest.error();
    published = *digest;
  }
  auto rules = resources_.settings.check;
  rules.digest = rules.digest || !published.empty();
  const auto deadly = co_await begin_check(resources_.checks, action.name, action.size);
  if (deadly) co_return base::Error{base::Errc::integrity, report::reason(*deadly)};
  auto check = [&shelf = ports_.shelf, &stopping = resources_.checks.stopping, action, rules] {
    return shelf.check(action.name, action.size, rules, until(stopping));
  };
  const auto checked = co_await off_loop(ports_.checks.get_executor(), std::move(check));
  co_await end_check(resources_.checks, action.name);
  if (!checked) co_return checked.error();
  if (!published.empty() && checked->sha256 != published)
    co_return base::Error{base::Errc::integrity, "it is not the file that was published"};
  core::FileRecord file;
  file.kind = action.file_kind;
  file.name = action.name;
  file.date = action.date;
  file.size = action.size;
  file.sha256 = checked->sha256;
  auto adopted = co_await resources_.publisher.adopt(std::move(file));
  co_return adopted;
}

}  // namespace vtmirror::agent
