// How files leave the mirror.
#include "agent/inventory.hpp"
#include "agent/publisher.hpp"
#include "vtmirror/core/recovery.hpp"

#include <optional>
#include <utility>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

Staying all_of(const std::vector<std::string>& names, const base::Error& error) {
  Staying all;
  for (const auto& name : names) all.emplace(name, error);
  return all;
}

std::vector<std::string> without(std::vector<std::string> names, const Staying& left_out) {
  std::erase_if(names, [&left_out](const std::string& name) { return left_out.contains(name); });
  return names;
}

std::vector<core::Action> without(std::vector<core::Action> prunes, const Staying& left_out) {
  std::erase_if(prunes, [&left_out](const core::Action& action) { return left_out.contains(action.name); });
  return prunes;
}

std::vector<std::string> names_of(const std::vector<core::Action>& prunes) {
  std::vector<std::string> names;
  for (const auto& action : prunes) names.push_back(action.name);
  return names;
}

Staying remove_each(ports::Shelf& shelf, const std::vector<std::string>& names) {
  Staying stay;
  for (const auto& name : names)
    if (const auto removed = shelf.remove(name); !removed) stay.emplace(name, removed.error());
  return stay;
}

}  // namespace

bool is_of_one_file(const base::Error& error) {
  return error.code == base::Errc::io || error.code == base::Errc::integrity;
}

bool spares_others(const base::Error& error) { return is_of_one_file(error) || error.code == base::Errc::no_space; }

awaitable<Staying> Publisher::remove(std::vector<core::Action> prunes) {
  co_await turn_.acquire();
  const Taken turn(turn_);
  auto stay = co_await hold_all(prunes);
  prunes = without(std::move(prunes), stay);
  auto others = co_await remove_held(std::move(prunes));
  stay.merge(others);
  co_return stay;
}

/// An error that spares no others is that of all files behind it, too.
awaitable<Staying> Publisher::hold_all(const std::vector<core::Action>& prunes) {
  Staying stay;
  std::optional<base::Error> of_the_rest;
  for (const auto& action : prunes) {
    if (stopping_) of_the_rest = base::Error{base::Errc::cancelled, "stopped"};
    if (of_the_rest) {
      stay.emplace(action.name, *of_the_rest);
      continue;
    }
    const auto held = co_await hold(action.name, std::string());
    if (held) continue;
    stay.emplace(action.name, held.error());
    if (!spares_others(held.error())) of_the_rest = held.error();
  }
  co_return stay;
}

/// The records are removed first, so that a manifest never names a file that does not exist. If the process ends before
/// a file is removed, the next start finishes its removal or takes it back: the catalogue knows that it is leaving.
awaitable<Staying> Publisher::remove_held(std::vector<core::Action> prunes) {
  if (prunes.empty()) co_return Staying();
  const auto names = names_of(prunes);
  auto forget = [names, at = ports_.clock.now()](catalogue::Files& files) { return files.remove(names, at); };
  const auto generation = co_await calls_(std::move(forget));
  if (!generation) co_return all_of(names, generation.error());
  const auto written = co_await write_manifest();
  if (!written) co_return all_of(names, written.error());
  auto stay = co_await finish_removals(names);
  co_return stay;
}

awaitable<Staying> Publisher::finish_removals(std::vector<std::string> names) {
  auto remove = [&shelf = ports_.shelf, names] { return remove_each(shelf, names); };
  auto stay = co_await off_loop(ports_.pool.get_executor(), std::move(remove));
  names = without(std::move(names), stay);
  if (names.empty()) co_return stay;
  auto keep = [names](catalogue::Files& files) { return files.keep_gone(names); };
  const auto kept = co_await calls_(std::move(keep));
  if (!kept) stay.merge(all_of(names, kept.error()));
  co_return stay;
}

awaitable<base::Result<void>> Publisher::take_back(std::string name) {
  ports::Event event{.kind = ports::EventKind::recovered, .level = ports::Level::notice};
  event.message =
      core::short_name(name) + " is kept: its removal was interrupted, and the mirror would not remove it now";
  event.fields.push_back({"file", name});
  ports_.journal.log(event);
  auto keep = [name, at = ports_.clock.now()](catalogue::Files& files) { return files.take_back(name, at); };
  const auto generation = co_await calls_(std::move(keep));
  if (!generation) co_return generation.error();
  co_return base::Result<void>();
}

/// All of it is one turn: what is decided must not change before it is done. The manifest is written in between, so
/// that it never names a file that does not exist.
awaitable<base::Result<LateRemovals>> Publisher::finish_late(core::Policy policy) {
  co_await turn_.acquire();
  const Taken turn(turn_);
  const auto found = co_await find_leaving(ports_, calls_);
  if (!found) co_return found.error();
  if (found->leaving.empty()) co_return LateRemovals();
  const auto repairs = core::removal_repairs(*found, policy);
  std::vector<std::string> ending;
  for (const auto& repair : repairs) {
    if (repair.kind == core::RepairKind::finish_removal) {
      ending.push_back(repair.name);
      continue;
    }
    const auto taken_back = co_await take_back(repair.name);
    if (!taken_back) co_return taken_back.error();
  }
  const auto written = co_await write_manifest();
  if (!written) co_return written.error();
  LateRemovals late;
  late.stay = co_await finish_removals(std::move(ending));
  late.done = without(core::finished_removals(*found, repairs), late.stay);
  co_return late;
}

}  // namespace vtmirror::agent
