// Copies the rows that the damage of a catalogue does not touch, table by table and row by row.
#include "catalogue/driver.hpp"
#include "catalogue/sqlite_driver.hpp"
#include "catalogue/sqlite_engine.hpp"
#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/catalogue/rescue.hpp"
#include "vtmirror/core/cause.hpp"
#include "vtmirror/core/notice.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::catalogue {
namespace {

using Fields = std::vector<Value>;

struct Table {
  std::string name;
  std::string key;  ///< the columns of the key, which come first in `columns`
  std::vector<std::string> columns;
  bool is_numbered = false;  ///< the key is a number that counts up
  bool is_past = false;      ///< its rows are still true, however old they are
};

/// The tables to copy, each after those that it refers to. None of them says what is public: that is checked on disk.
const std::vector<Table>& tables() {
  static const std::vector<Table> all{
      {"cycle",
       "id",
       {"id", "started", "finished", "outcome", "files", "bytes", "kind", "cause", "detail", "status", "subject",
        "fields", "settings", "service", "not_before"},
       true,
       true},
      {"failure", "position", {"position", "kind", "cause", "detail", "status", "subject", "fields"}, true},
      {"problem", "code", {"code", "since", "files", "cause", "detail", "status", "subject", "fields"}},
      {"key_use", "id", {"id", "at"}, false, true},
      {"credential",
       "fingerprint",
       {"fingerprint", "first_seen", "refused_at", "refusal", "rotation_began", "rotation_end", "rotation_cause",
        "rotation_detail", "rotation_status", "rotation_subject", "rotation_fields", "refusal_cause", "refusal_status",
        "refusal_fields"},
       false,
       true},
      {"secret_warning", "fingerprint, expires_on, days", {"fingerprint", "expires_on", "days", "at"}, false, true},
      {"channel", "name, topic", {"name", "topic"}},
      {"notice", "id", {"id", "key", "at", "topic", "code", "stage", "body", "generation"}, true},
      {"consumer",
       "name",
       {"name", "created", "asked", "acknowledged", "acknowledged_at", "loaded", "ticket", "offered_at", "offer",
        "kept_up"}},
      {"consumer_ticket", "id", {"id", "newest"}},
      {"clock", "id", {"id", "right_at"}},
      {"delivery", "channel, notice", {"channel", "notice", "attempts", "due", "cause", "detail", "status"}},
  };
  return all;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string text_of(const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? std::string() : *text;
}

/// Whether the catalogue could read the row again. One that it could not parse would look like damage of the new file.
bool is_sound(const std::vector<std::string>& columns, const Fields& row) {
  for (std::size_t n = 0; n < columns.size(); ++n) {
    if (columns[n].ends_with("fields") && !core::parse_fields(text_of(row[n]))) return false;
    if (columns[n] == "body" && !core::parse_notice(text_of(row[n]))) return false;
  }
  return true;
}

/// The damaged file. A failed read ends the reading in that direction.
class Source {
 public:
  explicit Source(std::unique_ptr<SqliteDriver> driver) : driver_(std::move(driver)) {}

  /// An older catalogue lacks some columns, and one whose schema is damaged lacks tables.
  std::vector<std::string> columns(const Table& table) {
    std::vector<std::string> known;
    std::set<std::string> there;
    for (const auto& row : rows("SELECT name FROM pragma_table_info('" + table.name + "')", 1).first)
      there.insert(text_of(row[0]));
    for (const auto& name : table.columns)
      if (there.contains(name)) known.push_back(name);
    return known;
  }

  /// Reads from both ends up to the damage, and between them, if the rows have numbers, each row by its number.
  std::vector<Fields> rows(const Table& table, const std::vector<std::string>& columns) {
    const auto select = "SELECT " + joined(columns) + " FROM " + table.name;
    auto [found, whole] = rows(select + " ORDER BY " + table.key, columns.size());
    if (whole) return found;
    auto behind = rows(select + " ORDER BY " + descending(table.key), columns.size()).first;
    if (table.is_numbered) add_between(found, behind, select, table.key, columns.size());
    for (auto& row : behind) found.push_back(std::move(row));
    return found;
  }

 private:
  static std::string descending(const std::string& key) {
    std::string text;
    for (const char c : key) text += c == ',' ? std::string(" DESC,") : std::string(1, c);
    return text + " DESC";
  }

  static std::int64_t number_of(const Fields& row) {
    const auto text = text_of(row[0]);
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
  }

  void add_between(std::vector<Fields>& found, const std::vector<Fields>& behind, const std::string& select,
                   const std::string& key, std::size_t width) {
    constexpr std::int64_t most = 10'000;
    const auto first = found.empty() ? 1 : number_of(found.back()) + 1;
    const auto end = behind.empty() ? first + most : std::min(number_of(behind.back()), first + most);
    const auto one = select + " WHERE " + key + " = $1";
    for (auto number = first; number < end; ++number) {
      for (auto& row : rows(one, width, {Value(number)}).first) found.push_back(std::move(row));
    }
  }

  /// Returns the rows up to the first failure, and whether there was no failure.
  std::pair<std::vector<Fields>, bool> rows(std::string sql, std::size_t width, const Fields& parameters = {}) {
    std::vector<Fields> found;
    const auto cursor = driver_->run(*texts_.insert(std::move(sql)).first, parameters);
    if (!cursor) return {std::move(found), false};
    for (auto more = (*cursor)->next();; more = (*cursor)->next()) {
      if (!more || !*more) return {std::move(found), more.has_value()};
      Fields row;
      for (std::size_t n = 0; n < width; ++n) {
        const int column = static_cast<int>(n);
        row.push_back((*cursor)->is_null(column) ? Value(nullptr) : Value((*cursor)->text(column)));
      }
      found.push_back(std::move(row));
    }
  }

  std::set<std::string> texts_;  // the driver knows a statement by its characters, which outlive it
  std::unique_ptr<SqliteDriver> driver_;
};

/// The new catalogue. A row that it refuses is left out; any other failure ends the copy.
class Target {
 public:
  explicit Target(std::unique_ptr<SqliteDriver> driver) : driver_(std::move(driver)) {}

  /// The number of rows that were changed.
  base::Result<std::int64_t> run(const std::string& sql, const Fields& parameters = {}) {
    const auto cursor = driver_->run(*texts_.insert(sql).first, parameters);
    if (!cursor) return cursor.error();
    const auto done = (*cursor)->next();
    if (done) return *done ? 1 : driver_->last_change_count();
    if (done.error().code == base::Errc::catalogue) return std::int64_t{0};
    return done.error();
  }

  /// The number of rows that were added.
  base::Result<std::int64_t> add(const Table& table, const std::vector<std::string>& columns,
                                 const std::vector<Fields>& rows) {
    std::string places;
    for (std::size_t n = 1; n <= columns.size(); ++n) places += (n == 1 ? "$" : ", $") + std::to_string(n);
    const auto sql =
        "INSERT INTO " + table.name + " (" + joined(columns) + ") VALUES (" + places + ") ON CONFLICT DO NOTHING";
    std::int64_t added = 0;
    for (const auto& row : rows) {
      if (!is_sound(columns, row)) continue;
      const auto done = run(sql, row);
      if (!done) return done.error();
      added += *done;
    }
    return added;
  }

  SqliteDriver& driver() { return *driver_; }

 private:
  std::set<std::string> texts_;
  std::unique_ptr<SqliteDriver> driver_;
};

/// False if it was done already, or if files were published: what is kept then is newer.
base::Result<bool> is_due(SqliteDriver& driver) {
  const auto cursor = driver.run("SELECT id FROM salvage UNION ALL SELECT id FROM version LIMIT 1", {});
  if (!cursor) return cursor.error();
  const auto found = (*cursor)->next();
  if (!found) return found.error();
  return !*found;
}

/// The newest damaged catalogue from which a new one got its rows, by its name.
std::string mark_of(const std::string& path) { return path + ".salvaged"; }

bool is_salvaged(const std::string& path, const std::string& damaged) {
  const base::Descriptor file(::open(mark_of(path).c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 512> text{};
  const auto length = file.valid() ? ::read(file.get(), text.data(), text.size()) : 0;
  const std::string_view words(text.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  return base::trim(words) == base::leaf_of(damaged);
}

/// Without this mark, a new catalogue that is made much later would get the same rows again.
void mark_salvaged(const std::string& path, const std::string& damaged) {
  const base::Descriptor file(::open(mark_of(path).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  const auto text = std::string(base::leaf_of(damaged)) + '\n';
  const bool written = file.valid() && ::write(file.get(), text.data(), text.size()) == std::ssize(text);
  if (written) ::fsync(file.get());
}

base::Result<Salvaged> copy(Source& source, Target& target, Era era) {
  Salvaged kept;
  for (const auto& table : tables()) {
    if (era == Era::past && !table.is_past) continue;
    const auto columns = source.columns(table);
    if (columns.empty() || !table.key.starts_with(columns.front())) continue;
    const auto added = target.add(table, columns, source.rows(table, columns));
    if (!added) return added.error();
    if (table.name == "cycle") kept.cycles = *added;
    if (table.name == "notice") kept.notices = *added;
  }
  // In an old catalogue, a cycle that seems to run was followed by others.
  if (era == Era::past)
    if (auto done = target.run("DELETE FROM cycle WHERE finished IS NULL"); !done) return done.error();
  // This rebuild is a new problem, although the one before may last.
  if (auto done = target.run("DELETE FROM problem WHERE code = 'catalogue_rebuilt'"); !done) return done.error();
  // A notice exists as long as a channel waits for it. If damage hides which channel, all that subscribe to its topic
  // get it.
  const auto sent = target.run(
      "INSERT INTO delivery (channel, notice, due) SELECT channel.name, notice.id, notice.at FROM notice "
      "JOIN channel ON channel.topic = notice.topic "
      "WHERE NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.notice = notice.id)");
  if (!sent) return sent.error();
  return kept;
}

}  // namespace

base::Result<std::optional<Salvaged>> SqliteEngine::salvage(const std::string& path, const std::string& damaged,
                                                            Era era, base::Time now) const {
  using Kept = std::optional<Salvaged>;
  if (is_salvaged(path, damaged)) return Kept();
  auto fresh = SqliteDriver::open(path, Access::read_write);
  if (!fresh) return fresh.error();
  Target target(std::move(*fresh));
  SqliteDriver& driver = target.driver();
  if (auto begun = driver.begin(Purpose::writing); !begun) return begun.error();
  const auto due = is_due(driver);
  if (!due) return due.error();
  if (!*due) {
    driver.roll_back();
    return Kept();
  }
  Salvaged kept;
  if (auto opened = SqliteDriver::open(damaged, Access::read_only)) {
    Source source(std::move(*opened));
    const auto copied = copy(source, target, era);
    if (!copied) return copied.error();
    kept = *copied;
  }
  const auto marked = target.run("INSERT INTO salvage (id, source, at) VALUES (1, $1, $2)",
                                 {Value(damaged), Value(std::int64_t{now.time_since_epoch().count()})});
  if (!marked) return marked.error();
  if (auto ended = driver.commit(); !ended) return ended.error();
  mark_salvaged(path, damaged);
  return Kept(kept);
}

}  // namespace vtmirror::catalogue
