// Three consumers of a mirror, as a careful person would write them. Each knows what its table rests on.
#pragma once

#include "core/loader_world.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace vtmirror::test::loading {

/// What all of them have: a table, what was loaded into it, and the two ways to fill it.
class Loader {
 public:
  explicit Loader(bool strict) : strict_(strict) {}
  virtual ~Loader() = default;

  /// It is its turn: a timer, a poll, or a hook.
  virtual void look(Mirror& mirror) = 0;

  const Table& table() const { return table_; }
  const std::vector<base::Date>& assumed() const { return assumed_; }
  int reloads = 0, joins = 0;

 protected:
  bool is_loaded(const core::Held& file) const { return std::ranges::find(loaded_, file) != loaded_.end(); }
  /// Whether the deltas of that chain can be loaded after what is loaded, without its bulk file.
  bool joins_on(const core::Chain& chain) const {
    if (loaded_.empty() || !chain.continues || !chain.continues->contiguous) return false;
    const auto& join = *chain.continues;
    if (strict_ && !join.assumes_absent.empty()) return false;
    return loaded_.back().name == join.after && loaded_.back().sha256 == join.sha256 && generation_ >= join.generation;
  }
  void reload(const core::Chain& chain, const Mirror& mirror) {
    ++reloads;
    table_.clear();
    assumed_.clear();
    loaded_.clear();
    append(chain, 0, mirror);
  }
  void join(const core::Chain& chain, const Mirror& mirror) {
    ++joins;
    const auto& days = chain.continues->assumes_absent;
    assumed_.insert(assumed_.end(), days.begin(), days.end());
    loaded_ = {chain.files.front()};
    append(chain, 1, mirror);
  }
  void append(const core::Chain& chain, std::size_t from, const Mirror& mirror) {
    for (std::size_t n = from; n < chain.files.size(); ++n) {
      const auto& file = mirror.files.at(chain.files[n].name);
      if (file.listed.kind == core::Kind::bulk) table_.clear();
      for (const auto& [day_number, version] : file.rows) table_[day_number] = version;
      loaded_.push_back(chain.files[n]);
    }
    assumed_.insert(assumed_.end(), chain.absent_upstream.begin(), chain.absent_upstream.end());
    generation_ = mirror.edition.generation;
  }

  Table table_;
  std::vector<core::Held> loaded_;  ///< of the present chain, in load order
  /// Of the manifest by which it loaded last. One that has less than is loaded says nothing of what it lacks.
  std::int64_t generation_ = 0;
  std::string session_;

 private:
  std::vector<base::Date> assumed_;  ///< what the table rests on since its bulk file
  bool strict_;
};

/// Reads manifest.json and nothing else, and compares it with what it has loaded.
class ByManifest : public Loader {
 public:
  using Loader::Loader;

  void look(Mirror& mirror) override {
    const auto chain = mirror.chain();
    if (chain.files.empty()) return;
    const bool same_session = std::exchange(session_, mirror.edition.session) == mirror.edition.session;
    const bool same_bulk = !loaded_.empty() && loaded_.front() == chain.files.front();
    const auto both = std::ssize(chain.files) < std::ssize(loaded_) ? std::ssize(chain.files) : std::ssize(loaded_);
    const bool agree = std::equal(loaded_.begin(), loaded_.begin() + both, chain.files.begin());
    if (same_session && same_bulk && agree) {
      if (chain.files.size() > loaded_.size()) append(chain, loaded_.size(), mirror);
    } else if (same_session && joins_on(chain)) {
      join(chain, mirror);
    } else {
      reload(chain, mirror);
    }
  }
};

/// Asks `vtmirror changes` what has happened since, and reads `vtmirror coverage` only if something has.
class ByChanges : public Loader {
 public:
  using Loader::Loader;

  void look(Mirror& mirror) override {
    const auto changes = mirror.changes_since(cursor_);
    if (changes.empty()) return;
    const auto chain = mirror.chain();
    if (chain.files.empty()) return;
    const bool another_session = std::exchange(session_, mirror.edition.session) != mirror.edition.session;
    const bool reset = changes.front().kind == core::ChangeKind::reset;
    cursor_ = changes.back().generation;
    if (reset || another_session || loaded_.empty() || has_lost_its_ground(changes, chain))
      return reload(chain, mirror);
    if (loaded_.front() == chain.files.front()) return take_new(chain, mirror);
    if (joins_on(chain)) return join(chain, mirror);
    reload(chain, mirror);
  }

 private:
  /// Whether another edition came of a file that is loaded, and is still in the chain or was joined on to.
  bool has_lost_its_ground(const std::vector<core::Change>& changes, const core::Chain& chain) const {
    return std::ranges::any_of(changes, [&](const core::Change& change) {
      const auto same = [&change](const core::Held& file) { return file.name == change.name; };
      const auto now = std::ranges::find_if(chain.files, same);
      const auto before = std::ranges::find_if(loaded_, same);
      return change.kind == core::ChangeKind::published && before != loaded_.end() &&
             (now == chain.files.end() ? chain.files.front() == loaded_.front() : !(*now == *before));
    });
  }
  /// The chain may end earlier than before: a file was lost. It may have a delta between those that are loaded, which
  /// came late: all after it are loaded again.
  void take_new(const core::Chain& chain, const Mirror& mirror) {
    const auto first = std::ranges::find_if(chain.files, [this](const auto& file) { return !is_loaded(file); });
    if (first == chain.files.end()) return;
    const auto at = static_cast<std::size_t>(first - chain.files.begin());
    if (at != loaded_.size()) return reload(chain, mirror);
    append(chain, at, mirror);
  }

  std::int64_t cursor_ = 0;
};

/// A hook with `on = ["chain"]`. Its notices come at least once, some of them late or twice, and the manifest is at
/// least as new as each.
class ByHook : public Loader {
 public:
  using Loader::Loader;

  void look(Mirror& mirror) override {
    if (heard_ == mirror.announced.size()) return;
    // Each run has one notice; the next may begin only after this one has ended.
    for (; heard_ < mirror.announced.size(); ++heard_) {
      handle(mirror.announced[heard_], mirror);
      if (heard_ % 5 == 0) handle(mirror.announced[heard_], mirror);
    }
  }

 private:
  void handle(const core::ChainNews& news, Mirror& mirror) {
    const auto chain = mirror.chain();
    if (chain.files.empty()) return;
    const bool another_session = std::exchange(session_, mirror.edition.session) != mirror.edition.session;
    if (another_session || loaded_.empty()) return reload(chain, mirror);
    if (!(loaded_.front() == chain.files.front())) return joins_on(chain) ? join(chain, mirror) : reload(chain, mirror);
    for (const auto& name : news.replaced)
      if (was_loaded_in_another_edition(name, chain)) return reload(chain, mirror);
    add(news, chain, mirror);
  }
  bool was_loaded_in_another_edition(const std::string& name, const core::Chain& chain) const {
    const auto before = std::ranges::find(loaded_, name, &core::Held::name);
    const auto now = std::ranges::find(chain.files, name, &core::Held::name);
    return before != loaded_.end() && (now == chain.files.end() || !(*before == *now));
  }
  /// What the notice calls added may be loaded already, and the manifest may know more than the notice.
  void add(const core::ChainNews& news, const core::Chain& chain, const Mirror& mirror) {
    for (const auto& name : news.added)
      if (was_loaded_in_another_edition(name, chain)) return reload(chain, mirror);
    for (std::size_t n = 0; n < std::min(chain.files.size(), loaded_.size()); ++n)
      if (!(chain.files[n] == loaded_[n])) return reload(chain, mirror);
    if (chain.files.size() > loaded_.size()) append(chain, loaded_.size(), mirror);
  }

  std::size_t heard_ = 0;
};

}  // namespace vtmirror::test::loading
