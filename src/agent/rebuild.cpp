#include "agent/rebuild.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/report/sentence.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

std::set<std::string> names_listed(const ports::Remains& remains) {
  std::set<std::string> names;
  for (const auto& file : remains.chain) names.insert(file.name);
  for (const auto& [name, digest] : remains.sums) names.insert(name);
  return names;
}

std::set<std::string> names_of(const std::vector<core::FileRecord>& files) {
  std::set<std::string> names;
  for (const auto& file : files) names.insert(file.name);
  return names;
}

/// Days without a delta, with those that `continues` assumes absent; ascending.
std::vector<base::Date> absent_of(const ports::Remains& remains) {
  auto absent = remains.absent_upstream;
  if (remains.continues)
    absent.insert(absent.end(), remains.continues->assumes_absent.begin(), remains.continues->assumes_absent.end());
  std::ranges::sort(absent);
  absent.erase(std::unique(absent.begin(), absent.end()), absent.end());
  return absent;
}

/// The content of the manifest on disk, for comparison with the next one.
std::string content_of(const ports::Remains& remains) {
  core::Chain chain{.files = remains.chain, .complete = remains.complete, .missing = remains.missing};
  chain.absent_upstream = remains.absent_upstream;
  chain.unaccounted = remains.unaccounted;
  chain.continues = remains.continues;
  return core::content_of(chain, {});
}

/// The held files of which the manifest calls a newer edition missing: the files on disk do not show that they were
/// replaced, or that their newest entry was refused.
std::vector<std::string> older_editions(const catalogue::Restored& restored, const ports::Remains& remains) {
  std::vector<std::string> names;
  for (const auto& missing : remains.missing)
    if (std::ranges::find(restored.files, missing.name, &core::FileRecord::name) != restored.files.end())
      names.push_back(missing.name);
  return names;
}

/// The public files, and the directories that cannot be read.
struct OnShelf {
  std::vector<core::LocalFile> files;
  std::vector<core::Cause> unread;
};

base::Result<OnShelf> with_unread(ports::Shelf& shelf) {
  OnShelf found;
  auto files = shelf.files(found.unread);
  if (!files) return files.error();
  found.files = std::move(*files);
  return found;
}

/// Whether the chains join as the manifest says.
bool joins_as_before(const catalogue::Restored& restored, const ports::Remains& remains) {
  std::vector<core::Held> held;
  for (const auto& file : restored.files)
    held.push_back(
        {file.kind, file.name, file.date, file.size, file.sha256, file.since > 0 ? file.since : restored.generation});
  const auto calendar = core::rebuilt(restored.absent, held, restored.certain, restored.older);
  return core::chain_of(calendar, held).continues == remains.continues;
}

/// The newest bulk file before that day, whether it is on disk or the texts name it.
std::optional<base::Date> bulk_before(base::Date start, const std::vector<core::FileRecord>& files,
                                      const ports::Remains& remains) {
  std::optional<base::Date> newest;
  const auto take = [&newest, start](core::Kind kind, base::Date date) {
    if (kind == core::Kind::bulk && date < start && (!newest || *newest < date)) newest = date;
  };
  for (const auto& file : files) take(file.kind, file.date);
  for (const auto& name : names_listed(remains))
    if (const auto named = core::read_name(name)) take(named->kind, named->date);
  return newest;
}

/// The days of the chain before the manifest's, as far as that says that they join on. Of the manifest's own files
/// nobody knows: it does not say whether the newest entry of a held file was refused.
core::CertainDays days_before(const catalogue::Restored& restored, const ports::Remains& remains) {
  if (remains.chain.empty() || !remains.continues) return {};
  const auto start = remains.chain.front().date;
  const auto first = bulk_before(start, restored.files, remains);
  if (!first) return {};
  core::CertainDays days{*first, start};
  if (remains.continues->contiguous) return days;
  const auto last = core::read_name(remains.continues->after);
  if (!last) return {};
  days.end = std::min(days.end, last->kind == core::Kind::bulk ? last->date : base::next_day(last->date));
  return days;
}

}  // namespace

std::optional<core::FileRecord> known_of(const core::LocalFile& local, const ports::Remains& remains) {
  core::FileRecord file;
  file.name = local.name;
  file.size = local.size;
  const auto member = std::find_if(remains.chain.begin(), remains.chain.end(),
                                   [&](const core::Held& each) { return each.name == local.name; });
  const auto named = core::read_name(local.name);
  if (member == remains.chain.end() && !named) return std::nullopt;
  if (member != remains.chain.end()) {
    file.kind = member->kind;
    file.date = member->date;
    file.sha256 = member->sha256;
    file.since = member->since;
  } else {
    file.kind = named->kind;
    file.date = named->date;
    const bool before = !remains.chain.empty() && file.date < remains.chain.front().date;
    if (before && remains.continues) file.since = remains.continues->generation;
  }
  for (const auto& [name, digest] : remains.sums)
    if (name == local.name) file.sha256 = digest;
  return file;
}

awaitable<base::Result<bool>> Rebuild::run() {
  const auto restored = co_await survey();
  if (!restored) co_return restored.error();
  if (!*restored) co_return false;
  co_await end_links();
  auto keep = [restored = **restored](catalogue::Files& files) { return files.restore(restored); };
  const auto kept = co_await calls_(std::move(keep));
  if (!kept) co_return kept.error();
  log(ports::Level::notice, "the catalogue was rebuilt with " + base::counted(std::ssize((*restored)->files), "file") +
                                "; the mirror continues from generation " + std::to_string((*restored)->generation));
  co_return same_;
}

awaitable<base::Result<std::optional<catalogue::Restored>>> Rebuild::survey() {
  using Found = std::optional<catalogue::Restored>;
  auto read = [](catalogue::Files& files) { return files.generation(); };
  const auto known = co_await calls_(std::move(read));
  if (!known) co_return known.error();
  if (*known > 0) co_return Found();
  auto look = [&shelf = ports_.shelf]() -> base::Result<ports::Remains> {
    auto found = shelf.remains();
    // A manifest that disagrees with SHA256SUMS or current may not be of the newest generation.
    const auto generation = shelf.generation();
    if (!generation) return generation.error();
    if (found && *generation != found->generation) found->session.clear();
    return found;
  };
  const auto remains = co_await off_loop(ports_.pool.get_executor(), std::move(look));
  if (!remains) co_return remains.error();
  if (remains->generation <= 0) co_return Found();
  log(ports::Level::warning, "the catalogue has no record of the mirror's " +
                                 base::counted(std::ssize(names_listed(*remains)), "file") +
                                 ": rebuilding it from the files on disk, which are checked");
  auto restored = co_await restore_from(*remains);
  if (!restored) co_return restored.error();
  const auto restored_names = names_of(restored->files);
  const auto listed_names = names_listed(*remains);
  std::ranges::set_difference(listed_names, restored_names, std::inserter(left_out_, left_out_.end()));
  same_ = restored_names == listed_names;
  if (same_) restored->content = content_of(*remains);
  if (!same_) restored->generation += 1;
  restored->older = older_editions(*restored, *remains);
  if (!restored->older.empty()) restored->session.clear();
  restored->certain = days_before(*restored, *remains);
  const bool joins = joins_as_before(*restored, *remains);
  // The reason why chains do not join may be in no file, and one generation of a session must not describe two states.
  if (same_ && !joins) restored->session.clear();
  const bool is_whole = remains->continues && remains->continues->contiguous;
  if (!joins && !is_whole) restored->certain = {};
  // Consumers ask for changes by generation alone, so a number of the earlier session must not exist in this one.
  if (same_ && restored->session.empty()) {
    restored->generation += 1;
    restored->content.clear();
  }
  co_return Found(std::move(*restored));
}

awaitable<base::Result<catalogue::Restored>> Rebuild::restore_from(ports::Remains remains) {
  auto list = [&shelf = ports_.shelf] { return with_unread(shelf); };
  const auto on_disk = co_await off_loop(ports_.pool.get_executor(), std::move(list));
  if (!on_disk) co_return on_disk.error();
  catalogue::Restored restored;
  restored.session = remains.session;
  restored.generation = remains.generation;
  restored.at = remains.published_at == base::Time{} ? ports_.clock.now() : remains.published_at;
  restored.absent = absent_of(remains);
  // The manifest names them, but their directory cannot be read: until it can, they count as published.
  for (const auto& member : remains.chain)
    if (core::is_below(member.name, on_disk->unread))
      if (auto file = known_of({.name = member.name, .size = member.size}, remains)) add(std::move(*file), restored);
  for (const auto& local : on_disk->files) {
    auto file = co_await check(local, remains);
    if (!file && file.error().code == base::Errc::cancelled) co_return file.error();
    if (!file) {
      log(ports::Level::error,
          core::short_name(local.name) +
              " was left unchanged and is not in the catalogue: " + report::reason(file.error(), local.name),
          local.name);
      left_out_.insert(local.name);
      continue;
    }
    add(std::move(*file), restored);
  }
  co_return restored;
}

/// Links of earlier generations may lead to the names that are left out. With no record, nothing would lead them away
/// before another edition takes the name.
awaitable<void> Rebuild::end_links() {
  for (const auto& name : left_out_) {
    auto lead_away = [&shelf = ports_.shelf, lost = ports::VerifiedFile{name, ports::no_file, {}}] {
      return shelf.hold(lost);
    };
    const auto led = co_await off_loop(ports_.pool.get_executor(), std::move(lead_away));
    if (!led)
      log(ports::Level::error,
          core::short_name(name) + ": programs that read by an older manifest may find other bytes under its name: " +
              report::reason(led.error(), name),
          name);
  }
}

void Rebuild::add(core::FileRecord file, catalogue::Restored& restored) const {
  file.published_at = restored.at;
  restored.files.push_back(std::move(file));
}

/// Checks the file by its digest if that is known, otherwise by the ZIP's own checksums.
awaitable<base::Result<core::FileRecord>> Rebuild::check(core::LocalFile local, ports::Remains remains) {
  auto file = known_of(local, remains);
  if (!file) co_return base::Error{base::Errc::integrity, "its name is not one that the service uses"};
  const bool has_digest = !file->sha256.empty();
  const ports::CheckRules rules{.zip = !has_digest, .digest = has_digest || rules_.digest};
  auto job = [&shelf = ports_.shelf, &stopping = stopping_, local, rules] {
    return shelf.check(local.name, local.size, rules, until(stopping));
  };
  const auto checked = co_await off_loop(ports_.checks.get_executor(), std::move(job));
  if (!checked && checked.error().code == base::Errc::io && has_digest) {
    // It was checked when it was published, and a momentary disk failure must not lose it, because it may no longer be
    // listed.
    log(ports::Level::error,
        core::short_name(local.name) + " cannot be read now and was added with its published digest, unchecked: " +
            report::reason(checked.error(), local.name),
        local.name);
    co_return *file;
  }
  if (!checked) co_return checked.error();
  if (has_digest && checked->sha256 != file->sha256)
    co_return base::Error{base::Errc::integrity, "its digest is not the one that the mirror published"};
  file->sha256 = checked->sha256;
  file->read_at = ports_.clock.now();
  co_return *file;
}

void Rebuild::log(ports::Level level, std::string message, const std::string& file) {
  ports::Event event{.kind = ports::EventKind::recovered, .level = level, .message = std::move(message)};
  if (!file.empty()) event.fields.push_back({"file", file});
  ports_.journal.log(event);
}

}  // namespace vtmirror::agent
