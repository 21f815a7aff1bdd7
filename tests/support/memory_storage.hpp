// A scratch and a shelf in memory that forget what was not synced, and die at a chosen call.
// Their check accepts a file if its bytes are the numbered bytes of the version in its first byte.
#pragma once

#include "support/memory_links.hpp"
#include "support/numbered_bytes.hpp"
#include "vtmirror/core/retention.hpp"
#include "vtmirror/ports/partials.hpp"
#include "vtmirror/ports/shelf.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace vtmirror::test {

class MemoryStorage {
 public:
  struct Unfinished {
    std::string written;
    std::string synced;
  };

  /// How a file comes from the scratch to the shelf: by a rename, as in a directory, or copied while it is staged, as
  /// to a store of objects, where it is public at once and the partial stays.
  enum class Way { rename, copy };
  explicit MemoryStorage(Way way = Way::rename) : way_(way) {}

  ports::Partials& partials() { return partials_; }
  ports::Shelf& shelf() { return shelf_; }

  /// The process dies at the k-th call from now on (1 is the next): that one and all after it fail and change nothing.
  void die_at(int call) { calls_left_ = call; }
  /// The process dies after the k-th step from now on of calls that have several: texts, `current`, links, loans. Calls
  /// `died` then.
  void die_after_step(int step) { steps_left_ = step; }
  void live_on() { steps_left_.reset(); }
  /// What a power cut leaves; the next process starts.
  void power_cut() {
    for (auto& [name, file] : unfinished) file.written = file.synced;
    calls_left_.reset();
  }
  int calls() const { return calls_; }
  /// Of those, the calls that may change what is public.
  int shelf_calls() const { return shelf_calls_; }

  /// The directory is removed with everything in it.
  void wipe() {
    for (auto* files : {&published, &quarantined, &staged, &held}) files->clear();
    unfinished.clear();
    superseded.clear();
    lent.clear();
    links.wipe();
    is_sealed_ = true;
    manifest.reset();
    sums.clear();
  }

  /// Whether manifest or digests name bytes that are not under their public name.
  bool contradicts_itself() const {
    const auto differs = [this](const core::Held& file) {
      const auto found = published.find(file.name);
      if (found == published.end() || std::ssize(found->second) != file.size || file.size == 0) return true;
      return file.sha256 != "digest-of-version-" + std::to_string(found->second.front());
    };
    return std::ranges::any_of(sums, differs) || (manifest && std::ranges::any_of(manifest->chain.files, differs));
  }

  static bool whole(const std::string& bytes) {
    if (bytes.empty()) return false;
    return bytes == numbered_bytes(bytes.front(), 0, std::ssize(bytes));
  }

  static std::string digest(const std::string& bytes) {
    return "digest-of-version-" + std::to_string(bytes.empty() ? 0 : bytes.front());
  }

  /// Superseded bytes of that digest and size; null if there are none.
  const std::string* held_bytes(const std::string& sha256, std::int64_t size) const {
    for (const auto& key : {sha256, sha256 + ' ' + std::to_string(size)})
      if (const auto found = held.find(key); found != held.end() && std::ssize(found->second) == size)
        return &found->second;
    return nullptr;
  }
  /// What a link leads to; null if it leads nowhere.
  const std::string* bytes_of(const MemoryLinks::Link& link) const {
    const auto& files = link.is_held ? held : published;
    const auto found = files.find(link.target);
    return found == files.end() ? nullptr : &found->second;
  }

  std::map<std::string, std::string> published;
  MemoryLinks links;
  std::map<std::string, Unfinished> unfinished;
  std::map<std::string, std::string> quarantined;
  std::map<std::string, std::string> staged;                       ///< by a shelf that copies
  std::map<std::string, std::string> held;                         ///< superseded bytes, by digest; see `held_bytes`
  std::map<std::string, base::Time> superseded;                    ///< since when, as far as `release` has seen them
  std::map<std::string, std::map<std::string, std::string>> lent;  ///< bytes by consumer and name
  std::function<void()> lending{};                                 ///< called after files were lent
  bool has_hard_links = true;
  std::optional<int> texts_left;  ///< the number of manifests that still find room on the disk
  bool texts_unreadable = false;
  int texts = 0;                     ///< manifests that were written
  std::set<std::string> blocked;     ///< names that the shelf does not accept
  std::set<std::string> unreadable;  ///< public files that cannot be read
  std::set<std::string> shut;        ///< public directories that cannot be read
  std::set<std::string> obstructed;  ///< texts whose place is occupied by something foreign
  std::set<std::string> stuck;       ///< names under which nothing can be published or removed
  std::set<std::string> unheld;      ///< names whose bytes cannot be kept for readers of older manifests
  bool no_room_to_hold = false;      ///< why those cannot
  std::optional<ports::Manifest> manifest;
  std::vector<core::Held> sums;
  std::int64_t free = std::int64_t{1} << 40;
  /// Called after bytes were checked while their file arrived, with how far.
  std::function<void(const std::string&, std::int64_t)> followed{};
  bool unread_once = false;                            ///< the next such read fails
  bool full = false;                                   ///< no byte more can be written: files, reasons, texts
  std::function<void()> in_a_check{};                  ///< called on the thread of each check of an unfinished file
  std::function<void()> written{};                     ///< called after each manifest that was written
  std::function<void(const std::string&)> appeared{};  ///< called after each file that was published
  std::function<void()> holding{};                     ///< called before bytes are kept for readers of older manifests
  std::function<void()> removing{};                    ///< called before each public file that is removed
  std::function<void()> between_steps{};               ///< called after each step of a call that has several
  std::function<void()> died{};                        ///< called when `die_after_step` comes true

 private:
  class OpenFile : public ports::PartialFile {
   public:
    OpenFile(MemoryStorage& storage, std::string name) : storage_(storage), name_(std::move(name)) {}
    base::Result<void> write(std::int64_t offset, std::span<const std::byte> bytes) override {
      const std::lock_guard lock(storage_.mutex_);
      if (auto alive = storage_.step(); !alive) return alive;
      if (storage_.full) return no_space(name_);
      auto& file = storage_.unfinished.at(name_).written;
      std::transform(bytes.begin(), bytes.end(), file.begin() + offset,
                     [](std::byte b) { return static_cast<char>(b); });
      return {};
    }
    base::Result<void> sync() override {
      const std::lock_guard lock(storage_.mutex_);
      if (auto alive = storage_.step(); !alive) return alive;
      auto& file = storage_.unfinished.at(name_);
      file.synced = file.written;
      return {};
    }

   private:
    MemoryStorage& storage_;
    std::string name_;
  };

  /// Judges the bytes as they were when it read them.
  class Check : public ports::PartialCheck {
   public:
    Check(MemoryStorage& storage, std::string name, std::int64_t size)
        : storage_(storage), name_(std::move(name)), size_(size) {}

    base::Result<void> advance(std::int64_t front, const ports::Watch&) override {
      const std::lock_guard lock(storage_.mutex_);
      if (auto alive = storage_.step(); !alive) return alive;
      if (std::exchange(storage_.unread_once, false)) return refused(name_);
      read_up_to(static_cast<std::size_t>(front));
      if (storage_.followed) storage_.followed(name_, front);
      return {};
    }

    base::Result<ports::Checked> finish(const ports::Watch&) override {
      if (storage_.in_a_check) storage_.in_a_check();
      const std::lock_guard lock(storage_.mutex_);
      if (auto alive = storage_.step(); !alive) return alive.error();
      read_up_to(storage_.unfinished[name_].written.size());
      return checked(read_, size_);
    }

   private:
    void read_up_to(std::size_t front) {
      const auto& bytes = storage_.unfinished[name_].written;
      if (read_.size() < front) read_.append(bytes, read_.size(), front - read_.size());
    }

    MemoryStorage& storage_;
    std::string name_;
    std::int64_t size_;
    std::string read_;
  };

  bool is_due(const std::string& key, const MemoryLinks& left, base::Time now) const {
    const auto since = superseded.find(key);
    return since != superseded.end() && now - since->second >= core::held_for && !left.leads_to_held(key);
  }
  bool has_other_name(const std::string& bytes) const {
    return std::ranges::any_of(published, [&bytes](const auto& file) { return file.second == bytes; });
  }

  class Partials : public ports::Partials {
   public:
    explicit Partials(MemoryStorage& storage) : storage_(storage) {}

    base::Result<std::vector<core::LocalFile>> files() override {
      const std::lock_guard lock(storage_.mutex_);
      if (auto alive = storage_.step(); !alive) return alive.error();
      std::vector<core::LocalFile> files;
      for (const auto& [name, file] : storage_.unfinished)
        files.push_back({name, std::ssize(file.written), std::ssize(file.written)});
      return files;
    }

    base::Result<std::unique_ptr<ports::PartialFile>> open(const ports::WantedPartial& wanted) override {
      const std::lock_guard lock(storage_.mutex_);
      if (auto alive = storage_.step(); !alive) return alive.error();
      if (storage_.full) return no_space(wanted.name);
      auto& kept = storage_.unfinished;
      const auto there = kept.find(wanted.name);
      if (wanted.kept > 0 && (there == kept.end() || std::ssize(there->second.written) < wanted.kept)) return nullptr;
      auto& file = kept[wanted.name];
      if (wanted.kept == 0) file = {};
      file.written.resize(static_cast<std::size_t>(wanted.size));
      file.synced.resize(static_cast<std::size_t>(wanted.size));
      return std::unique_ptr<ports::PartialFile>(std::make_unique<OpenFile>(storage_, wanted.name));
    }

    base::Result<void> drop(const std::string& name) override {
      const std::lock_guard lock(storage_.mutex_);
      if (auto alive = storage_.step(); !alive) return alive;
      if (storage_.stuck.contains(name)) return refused(name);
      storage_.unfinished.erase(name);
      return {};
    }

    base::Result<std::unique_ptr<ports::PartialCheck>> begin_check(const std::string& name, std::int64_t size,
                                                                   ports::CheckRules) override {
      const std::lock_guard lock(storage_.mutex_);
      if (auto alive = storage_.step(); !alive) return alive.error();
      return std::unique_ptr<ports::PartialCheck>(std::make_unique<Check>(storage_, name, size));
    }

    base::Result<void> quarantine(const std::string& name, const std::string& reason) override {
      const std::lock_guard lock(storage_.mutex_);
      if (auto alive = storage_.step(); !alive) return alive;
      if (storage_.full) return no_space(name);
      storage_.quarantined[name] = reason;
      storage_.unfinished.erase(name);
      return {};
    }

    base::Result<std::vector<core::LocalFile>> quarantined() override {
      const std::lock_guard lock(storage_.mutex_);
      if (auto alive = storage_.step(); !alive) return alive.error();
      std::vector<core::LocalFile> files;
      for (const auto& [name, reason] : storage_.quarantined) files.push_back({.name = name});
      return files;
    }

    base::Result<void> clear(const std::string& name) override {
      const std::lock_guard lock(storage_.mutex_);
      if (auto alive = storage_.step(); !alive) return alive;
      storage_.unfinished.erase(name);
      storage_.quarantined.erase(name);
      return {};
    }

    base::Result<std::int64_t> free_space() override { return storage_.free; }

   private:
    MemoryStorage& storage_;
  };

  class Shelf : public ports::Shelf {
   public:
    explicit Shelf(MemoryStorage& storage) : storage_(storage) {}

    base::Result<void> in_place() override { return {}; }

    using ports::Shelf::files;
    base::Result<std::vector<core::LocalFile>> files(std::vector<core::Cause>& unread) override {
      const std::lock_guard lock(storage_.mutex_);
      if (auto alive = storage_.step_of_shelf(); !alive) return alive.error();
      std::vector<core::Cause> closed;
      for (const auto& path : storage_.shut)
        closed.push_back(core::unread_directory(path, path + ": cannot open: Permission denied"));
      std::vector<core::LocalFile> files;
      for (const auto& [name, bytes] : storage_.published)
        if (!core::is_below(name, closed)) files.push_back({name, std::ssize(bytes), std::ssize(bytes)});
      unread.insert(unread.end(), closed.begin(), closed.end());
      return files;
    }

    base::Result<void> accepts(const std::string& name) override {
      std::vector<core::Cause> closed;
      for (const auto& path : storage_.shut) closed.push_back(core::unread_directory(path, ""));
      if (core::is_below(name, closed))
        return base::Error{base::Errc::io, name + ": cannot publish it there: Permission denied"};
      if (!storage_.blocked.contains(name)) return {};
      return base::Error{base::Errc::io, name + ": cannot publish it there: Not a directory"};
    }

    base::Result<void> stage(const ports::VerifiedFile& file, const ports::Watch&) override {
      const std::lock_guard lock(storage_.mutex_);
      if (auto alive = storage_.step_of_shelf(); !alive) return alive;
      if (storage_.way_ == Way::copy) storage_.staged[file.name] = storage_.unfinished.at(file.name).synced;
      return {};
    }

    base::Result<void> publish(const ports::VerifiedFile& file) override {
      const std::lock_guard lock(storage_.mutex_);
      if (auto alive = storage_.step_of_shelf(); !alive) return alive;
      if (storage_.stuck.contains(file.name)) return refused(file.name);
      if (storage_.way_ == Way::copy) {
        storage_.published[file.name] = storage_.staged.extract(file.name).mapped();
      } else {
        storage_.published[file.name] = storage_.unfinished.extract(file.name).mapped().synced;
      }
      if (storage_.appeared) storage_.appeared(file.name);
      return {};
    }

    base::Result<bool> hold(const ports::VerifiedFile& promised) override {
      const std::lock_guard lock(storage_.mutex_);
      if (storage_.holding) storage_.holding();
      if (storage_.unheld.contains(promised.name))
        return storage_.no_room_to_hold ? no_space(promised.name) : refused(promised.name);
      if (auto alive = storage_.step_of_shelf(); !alive) return alive.error();
      const auto found = storage_.published.find(promised.name);
      if (found == storage_.published.end() || std::ssize(found->second) != promised.size)
        return storage_.end_links(promised);
      if (!storage_.has_hard_links) return false;
      return storage_.hold(promised, found->second);
    }

    base::Result<void> release(base::Time now) override {
      const std::lock_guard lock(storage_.mutex_);
      if (auto alive = storage_.step_of_shelf(); !alive) return alive;
      storage_.links.release(now);
      for (const auto& [digest, bytes] : storage_.held) storage_.superseded.emplace(digest, now);
      std::erase_if(storage_.held, [&](const auto& each) {
        const bool is_due = storage_.is_due(each.first, storage_.links, now);
        if (is_due && !storage_.has_other_name(each.second)) storage_.free += std::ssize(each.second);
        return is_due;
      });
      std::erase_if(storage_.superseded, [&](const auto& each) { return !storage_.held.contains(each.first); });
      return {};
    }

    base::Result<std::int64_t> releasable(base::Time now) override {
      const std::lock_guard lock(storage_.mutex_);
      auto remaining = storage_.links;
      remaining.release(now);
      std::int64_t freed = 0;
      for (const auto& [digest, bytes] : storage_.held)
        if (storage_.is_due(digest, remaining, now) && !storage_.has_other_name(bytes)) freed += std::ssize(bytes);
      return freed;
    }

    base::Result<ports::Loan> lend(const std::string& consumer,
                                   const std::vector<ports::VerifiedFile>& files) override {
      const std::lock_guard lock(storage_.mutex_);
      if (auto alive = storage_.step(); !alive) return alive.error();
      if (storage_.full) return no_space(consumer);
      auto& loan = storage_.lent[consumer];
      loan.clear();
      ports::Loan given{.paths = {}, .is_kept = storage_.has_hard_links};
      for (const auto& file : files) {
        const auto found = storage_.published.find(file.name);
        if (found == storage_.published.end() || std::ssize(found->second) != file.size) return refused(file.name);
        if (storage_.has_hard_links) loan[file.name] = found->second;
        given.paths.push_back(storage_.has_hard_links ? consumer + '/' + file.name : file.name);
        if (auto alive = storage_.end_of_step(); !alive) return alive.error();
      }
      if (storage_.lending) storage_.lending();
      return given;
    }

    base::Result<std::optional<ports::Loan>> lent(const std::string& consumer,
                                                  const std::vector<ports::VerifiedFile>& files) override {
      const std::lock_guard lock(storage_.mutex_);
      if (auto alive = storage_.step(); !alive) return alive.error();
      ports::Loan given{.paths = {}, .is_kept = true};
      for (const auto& file : files) {
        const auto found = storage_.published.find(file.name);
        const bool is_public = found != storage_.published.end() && std::ssize(found->second) == file.size;
        const bool is_lent = storage_.lent[consumer].contains(file.name);
        if (!is_lent && !is_public) return std::optional<ports::Loan>();
        given.paths.push_back(is_lent ? consumer + '/' + file.name : file.name);
        given.is_kept = given.is_kept && is_lent;
      }
      return std::optional(std::move(given));
    }

    base::Result<void> withdraw(const std::vector<std::string>& all_but) override {
      const std::lock_guard lock(storage_.mutex_);
      if (auto alive = storage_.step(); !alive) return alive;
      std::erase_if(storage_.lent,
                    [&](const auto& loan) { return std::ranges::find(all_but, loan.first) == all_but.end(); });
      return {};
    }

    base::Result<ports::Checked> check(const std::string& name, std::int64_t size, ports::CheckRules,
                                       const ports::Watch&) override {
      const std::lock_guard lock(storage_.mutex_);
      if (auto alive = storage_.step_of_shelf(); !alive) return alive.error();
      const auto found = storage_.published.find(name);
      if (found == storage_.published.end()) return base::Error{base::Errc::io, name + ": no such file"};
      if (storage_.unreadable.contains(name)) return base::Error{base::Errc::io, name + ": Input/output error"};
      return checked(found->second, size);
    }

    base::Result<void> remove(const std::string& name) override {
      const std::lock_guard lock(storage_.mutex_);
      if (storage_.removing) storage_.removing();
      if (auto alive = storage_.step_of_shelf(); !alive) return alive;
      if (storage_.stuck.contains(name)) return refused(name);
      storage_.published.erase(name);
      return {};
    }

    base::Result<std::vector<core::Cause>> write_manifest(const ports::Manifest& named,
                                                          const std::vector<core::Held>& files) override {
      const std::lock_guard lock(storage_.mutex_);
      if (auto alive = storage_.step_of_shelf(); !alive) return alive.error();
      if (storage_.texts_left && (*storage_.texts_left)-- <= 0)
        return base::Error{base::Errc::no_space, "manifest.json: the disk is full"};
      ++storage_.texts;
      if (storage_.full) return no_space("manifest.json");
      if (auto replaced = storage_.replace_texts(named, files); !replaced) return replaced.error();
      if (storage_.written) storage_.written();
      std::vector<core::Cause> obstacles;
      for (const auto& path : storage_.obstructed) obstacles.push_back(core::obstructed(path, "it is a directory"));
      return obstacles;
    }

    base::Result<std::optional<std::int64_t>> generation() override {
      if (storage_.texts_unreadable) return base::Error{base::Errc::io, "manifest.json: Input/output error"};
      if (!storage_.manifest || !storage_.is_sealed_) return std::optional<std::int64_t>();
      return std::optional(storage_.manifest->edition.generation);
    }

    base::Result<ports::Remains> remains() override {
      ports::Remains remains;
      const auto& named = storage_.manifest;
      if (!named) return remains;
      remains.session = named->edition.session;
      remains.generation = named->edition.generation;
      remains.published_at = named->edition.at;
      remains.chain = named->chain.files;
      remains.missing = named->chain.missing;
      for (std::size_t i = 0; i < remains.missing.size(); ++i)
        remains.missing[i].cause = {.detail = i < named->details.size() ? named->details[i] : std::string()};
      remains.complete = named->chain.complete;
      remains.absent_upstream = named->chain.absent_upstream;
      remains.unaccounted = named->chain.unaccounted;
      remains.continues = named->chain.continues;
      for (const auto& file : storage_.sums) remains.sums.emplace_back(file.name, file.sha256);
      return remains;
    }

   private:
    MemoryStorage& storage_;
  };

  static base::Error refused(const std::string& name) { return {base::Errc::io, name + ": Operation not permitted"}; }

  static base::Error no_space(const std::string& name) {
    return {base::Errc::no_space, name + ": No space left on device"};
  }

  /// Of bytes that are lost: they lead nowhere.
  base::Result<bool> end_links(const ports::VerifiedFile& promised) {
    const auto led = redirect_links(promised.name, promised.sha256 + " lost");
    return led ? base::Result<bool>(true) : led.error();
  }

  base::Result<void> redirect_links(const std::string& name, const std::string& held_key) {
    for (const auto& link : links.links_to(name)) {
      links.redirect(link, held_key);
      is_sealed_ = is_sealed_ && link.first != links.current();
      if (auto alive = end_of_step(); !alive) return alive;
    }
    return {};
  }

  base::Result<bool> hold(const ports::VerifiedFile& promised, const std::string& bytes) {
    const auto same = held.find(promised.sha256);
    const bool is_taken = same != held.end() && same->second != bytes;
    const auto key = is_taken ? promised.sha256 + ' ' + std::to_string(promised.size) : promised.sha256;
    superseded.erase(key);
    held.emplace(key, bytes);
    if (auto alive = end_of_step(); !alive) return alive.error();
    const auto led = redirect_links(promised.name, key);
    return led ? base::Result<bool>(true) : led.error();
  }

  /// Each in one step, in this order; the seal says that all of them are of one publication.
  base::Result<void> replace_texts(const ports::Manifest& named, const std::vector<core::Held>& files) {
    is_sealed_ = false;
    manifest = named;
    if (auto alive = end_of_step(); !alive) return alive;
    sums = files;
    if (auto alive = end_of_step(); !alive) return alive;
    if (way_ == Way::rename && !obstructed.contains("current")) {
      const auto directory = links.make(named.edition.generation, named.chain.files);
      if (auto alive = end_of_step(); !alive) return alive;
      links.lead_to(directory);
      if (auto alive = end_of_step(); !alive) return alive;
    }
    is_sealed_ = true;
    return {};
  }

  base::Result<void> end_of_step() {
    if (between_steps) between_steps();
    if (!steps_left_ || --*steps_left_ > 0) return {};
    steps_left_.reset();
    calls_left_ = 0;
    if (died) died();
    return base::Error{base::Errc::io, "the process is dead"};
  }

  base::Result<void> step() {
    ++calls_;
    if (calls_left_ && --*calls_left_ <= 0) {
      calls_left_ = 0;
      return base::Error{base::Errc::io, "the process is dead"};
    }
    return {};
  }

  base::Result<void> step_of_shelf() {
    ++shelf_calls_;
    return step();
  }

  static base::Result<ports::Checked> checked(const std::string& bytes, std::int64_t size) {
    if (std::ssize(bytes) != size) return base::Error{base::Errc::integrity, "wrong size"};
    if (!whole(bytes)) return base::Error{base::Errc::integrity, "member a.json.gz: wrong checksum"};
    return ports::Checked{size, digest(bytes)};
  }

  Way way_;
  Partials partials_{*this};
  Shelf shelf_{*this};
  std::mutex mutex_;
  int calls_ = 0;
  int shelf_calls_ = 0;
  std::optional<int> calls_left_;
  std::optional<int> steps_left_;
  bool is_sealed_ = true;  ///< the texts and `current` are of one publication
};

}  // namespace vtmirror::test
