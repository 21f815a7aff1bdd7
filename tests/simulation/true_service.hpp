// The service through the years: its exports, what is in them, and how they are listed. What is true is known by
// construction. Remembers what the mirror was shown, and never looks at the mirror.
#pragma once

#include "simulation/london.hpp"
#include "support/scripted_service.hpp"
#include "support/upstream.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::test {

/// What a consumer's table holds: for each day the version of its data.
using Table = std::map<int, int>;
/// In the truth: a correction has dropped the data of that day.
inline constexpr int dropped = 0;
/// In a bulk file with a mistake: no data is of that version.
inline constexpr int mistaken = -1;

class TrueService {
 public:
  struct Edition {
    int version = 1;  ///< of the bytes; never 0
    std::int64_t size = 0;
    Table rows;           ///< what loading it sets
    bool secret = false;  ///< it has size and date of the edition before it
    bool shown = false;   ///< in a listing that the mirror kept
  };
  struct Export {
    core::Kind kind{};
    int number = 0;  ///< the day of its name
    std::string name;
    std::vector<Edition> editions;
    int versions = 0;  ///< that were given
    EntryForm form = EntryForm::fine;
    bool listed = false;
    const Edition& newest() const { return editions.back(); }
  };
  /// An entry as the mirror was shown it last.
  struct Seen {
    core::Kind kind{};
    int number = 0;
    std::int64_t size = 0;  ///< of the newest edition whose entry could be read; 0: none could
    bool refused = false;   ///< the newest entry could not be read
  };

  TrueService(ScriptedService& service, Random& random) : service_(service), random_(random) {}

  /// A day. With a new bulk file, the deltas before it leave the listing. Day 0 is a Sunday and has one, and so has
  /// every seventh day after one that has.
  void begin(int number);
  bool rolls_over(int number) const { return bulk_ == nullptr || number >= next_bulk_; }
  /// The next bulk file comes `days` days later (earlier if negative), and those after it on the same weekday.
  void move_next_bulk(int today, int days);
  int next_bulk() const { return next_bulk_; }
  void make_delta(int number);
  void list_delta(int number);
  /// Another object under the name of one that is listed, which it returns; empty if nothing is listed. A corrected
  /// delta has other data, or less of it, or is taken back: then the object before it is listed again. A bulk file that
  /// is made again has what it had, without its mistake.
  std::string republish(bool in_secret, const std::string& wanted = {});
  std::string bulk_with_a_mistake() const;        ///< of the newest bulk file, if it is listed; or empty
  std::string refuse(const std::string& wanted);  ///< as `republish`; of any listed file if none is wanted
  void accept(const std::string& name);
  std::string remove_delta();  ///< one leaves the listing before its week is over, and is returned; empty if none can
  /// If its week is not over. Returns whether it is listed again.
  bool list_again(const std::string& name);
  std::string some_listed();  ///< as `republish`
  bool is_listed(const std::string& name) const { return service_.files.contains(name); }

  // What the listing is meanwhile.
  void show_two_bulks(bool on) { set(two_bulks_, on); }
  void show_old_bulk(bool on) { set(old_bulk_, on); }
  void show_nothing(bool on) { set(empty_, on); }
  void show_no_bulk(bool on) { set(no_bulk_, on); }
  bool shows_two_bulks() const { return two_bulks_ && previous_ != nullptr && !old_bulk_; }
  bool shows_old_bulk() const { return old_bulk_ && previous_ != nullptr; }
  bool has_refused() const;
  bool has_form(EntryForm form) const;
  bool has_early_delta() const;
  bool is_empty() const { return service_.files.empty(); }
  bool has_bulk() const;

  void deliver();  ///< an answer to a request for the listing shows what is listed now
  void commit();   ///< and the mirror says that it has kept it

  const Export* find(const std::string& name) const;
  bool is_taken_back(const std::string& name) const;
  /// And no listing that the mirror kept had the edition between: it can know of that one by the store alone.
  bool returned_unlisted(const std::string& name) const;
  bool drops_rows(const std::string& name) const;  ///< the newest edition, of the one before it
  const Edition* edition(const std::string& name, int version) const;
  /// The delta that brings a day's data, or null.
  const Export* delta_of(int day_number) const;
  /// Whether a bulk file had wrong data of that day, and the mirror was not shown the one that corrects it in time.
  bool may_be_mistaken(int day_number) const;
  /// Whether that version of a bulk file has a mistake, and the mirror was shown the one that corrects it.
  bool has_known_mistake(const std::string& name, int version) const;
  const Table& truth() const { return truth_; }
  const std::map<std::string, Seen>& seen() const { return seen_; }
  const std::set<std::string>& kept_listing() const { return kept_; }
  /// Whether the mirror was shown the newest edition after all others.
  bool was_seen(const std::string& name) const;
  /// Another mirror begins, which was shown nothing yet.
  void forget();
  bool refused_in_kept_listing() const { return kept_refused_; }
  /// Whether the newest kept listing shows what is listed now.
  bool is_kept() const { return changes_ == kept_changes_; }
  int changes() const { return changes_; }

 private:
  struct Shown {
    std::vector<std::pair<std::string, Seen>> entries;
    std::vector<std::pair<std::string, std::size_t>> editions;
    std::set<std::string> names;
    int changes = 0;
    bool refused = false;
    bool usable = false;
  };

  void correct(Edition& edition, bool drops);
  void make_mistake(Export& bulk);
  void correct_mistake(Table& rows) const;
  static bool has_mistake(const Edition& edition);
  void note_corrections();
  Export& add(core::Kind kind, int number, std::int64_t size, Table rows);
  void set(bool& flag, bool on);
  void show();

  ScriptedService& service_;
  Random& random_;
  std::map<std::string, Export> exports_;
  std::map<int, const Export*> deltas_by_row_;
  std::map<int, const Export*> mistakes_;  ///< the bulk file that had one, by the day of the data
  std::set<std::string> corrected_;        ///< without a mistake when the mirror was shown them as the newest
  const Export* bulk_ = nullptr;
  const Export* previous_ = nullptr;
  Table truth_, waiting_;
  int newest_row_ = 1;
  int next_bulk_ = 0;
  bool two_bulks_ = false, old_bulk_ = false, empty_ = false, no_bulk_ = false;
  int changes_ = 0, kept_changes_ = -1;

  std::optional<Shown> shown_;
  std::map<std::string, Seen> seen_;
  std::set<std::string> kept_;
  std::map<std::string, std::size_t> observed_;  ///< how many editions there were when the mirror was shown one last
  bool kept_refused_ = false;
};

}  // namespace vtmirror::test
