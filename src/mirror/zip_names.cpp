#include "mirror/zip_names.hpp"

#include "mirror/zip_layout.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace vtmirror::mirror {
namespace {

bool separates(char c) { return c == '/' || c == '\\'; }

/// Some programs make a directory of a name that ends with a backslash, and others a file, which is in nobody's way.
bool is_directory(const ZipMember& member) {
  return !member.name.empty() && separates(member.name.back()) && member.size == 0;
}

enum class Relation { before, above, same, behind };

/// How long the directory is with which both names begin.
std::size_t shared(std::string_view a, std::string_view b) {
  auto length = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  while (length > 0 && !separates(a[length - 1])) --length;
  return length;
}

/// How the place of `a` is to that of `b`: `above` if `b` lies in it.
Relation relation(std::string_view a, std::string_view b) {
  const auto same = shared(a, b);
  for (NameParts left(a.substr(same)), right(b.substr(same));;) {
    const auto here = left.next(), there = right.next();
    if (here.empty()) return there.empty() ? Relation::same : Relation::above;
    const auto order = here.compare(there);
    if (order != 0) return order < 0 ? Relation::before : Relation::behind;
  }
}

std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 32U)) * 0x9E3779B97F4A7C15U;
  value = (value ^ (value >> 29U)) * 0xBF58476D1CE4E5B9U;
  return value ^ (value >> 32U);
}

std::uint64_t hash_of(std::string_view text, std::uint64_t key) {
  auto hash = mixed(key ^ text.size());
  while (!text.empty()) {
    std::uint64_t word = 0;
    const auto count = std::min(text.size(), sizeof(word));
    std::memcpy(&word, text.data(), count);
    hash = mixed(hash ^ word);
    text.remove_prefix(count);
  }
  return hash;
}

/// What is at a place: a directory that a name leads through, one that a member stands for, or a file.
enum Kind : unsigned { passed, directory, file };
constexpr std::uint64_t kind_bits = 3;
/// Greater than each hash that is kept.
constexpr std::uint64_t behind_all = std::uint64_t{1} << 63U;

/// Some programs go by the name of a member, others by the attributes of what was packed: whether it was a directory by
/// those of DOS, and what kind of file it was by those of Unix. Programs that know only one of them leave the other 0.
std::string_view danger_of_type(const ZipMember& member) {
  constexpr std::uint32_t dos_directory = 0x10;
  enum Type : std::uint32_t { none = 0, of_directory = 4, of_file = 8, of_symlink = 10 };
  const auto type = member.attributes >> 28U;
  if (type == of_symlink) return "it is a symlink, which can lead out of the directory that it is unpacked into";
  if (type != none && type != of_directory && type != of_file) return "it is a special file";
  if (is_directory(member)) return {};
  const bool is_named_directory = !member.name.empty() && separates(member.name.back());
  if (is_named_directory) return "its name is that of a directory, and it has contents, which some programs leave out";
  if (type == of_directory || (member.attributes & dos_directory) != 0)
    return "it is marked as a directory and named like a file, so some programs leave out what it contains";
  return {};
}

std::uint64_t place_of(std::uint64_t hash) { return hash & ~kind_bits; }

/// libzip refuses a name that comes twice, also that of a directory, so two directories collide as well.
bool collide(std::uint64_t first, std::uint64_t second) {
  return place_of(first) == place_of(second) && ((second & kind_bits) == file || (first & kind_bits) == directory);
}

}  // namespace

std::string_view NameParts::next() {
  while (!rest_.empty()) {
    const auto part = std::string_view(rest_.begin(), std::ranges::find_if(rest_, separates));
    rest_.remove_prefix(std::min(rest_.size(), part.size() + 1));
    if (!part.empty() && part != ".") return part;
  }
  return {};
}

std::string_view danger_of(const ZipMember& member) {
  const auto name = member.name;
  if (const auto why = danger_of_type(member); !why.empty()) return why;
  if (name.find('\0') != std::string_view::npos) return "its name contains a NUL, where programs cut it off";
  const bool drive = name.size() > 1 && name[1] == ':';
  if (name.starts_with('/') || name.starts_with('\\') || drive) return "its name is an absolute path";
  NameParts parts(name);
  auto part = parts.next();
  if (part.empty() && !is_directory(member)) return "it has no name under which it could be unpacked";
  for (; !part.empty(); part = parts.next())
    if (part == "..") return "its name leads out of the directory that it is unpacked into";
  return {};
}

bool lies_before(const ZipMember& a, const ZipMember& b) {
  const auto found = relation(a.name, b.name);
  return found == Relation::same ? a.name < b.name : found != Relation::behind;
}

std::string collision(const ZipMember& first, const ZipMember& second) {
  if (first.name == second.name) return "two members have this name, and unpacked one would replace the other";
  const auto found = relation(first.name, second.name);
  if (found == Relation::same && !(is_directory(first) && is_directory(second)))
    return "it is unpacked to the same place as " + member_label(first.name) + ", and one would replace the other";
  if (found == Relation::above && !is_directory(first))
    return member_label(first.name) + " is a file where this one needs a directory";
  return {};
}

bool PlaceHashes::begin_pass() {
  begin_ = std::exchange(end_, behind_all);
  last_directory_ = behind_all;
  hashes_.clear();
  return begin_ != behind_all;
}

void PlaceHashes::add(const ZipMember& member) {
  if (collided_) return;
  directories_.clear();
  auto hash = mixed(key_);
  NameParts parts(member.name);
  for (auto part = parts.next(); !part.empty(); part = parts.next()) {
    directories_.push_back(hash);
    hash = hash_of(part, hash);
  }
  keep(hash, is_directory(member) ? directory : file);
  if (directories_.empty() || directories_.back() == last_directory_) return;
  last_directory_ = directories_.back();
  for (const auto each : directories_) keep(each, passed);
}

void PlaceHashes::keep(std::uint64_t hash, unsigned kind) {
  const auto place = place_of(hash >> 1U);
  if (place < begin_ || place >= end_) return;
  if (hashes_.size() == most_hashes) make_room();
  if (place < end_) hashes_.push_back(place | kind);
}

/// Directories that names lead through stay once.
void PlaceHashes::sort() {
  std::sort(hashes_.begin(), hashes_.end());
  collided_ = collided_ || std::adjacent_find(hashes_.begin(), hashes_.end(), collide) != hashes_.end();
  hashes_.erase(std::unique(hashes_.begin(), hashes_.end()), hashes_.end());
}

/// Leaves what does not fit to the next pass.
void PlaceHashes::make_room() {
  sort();
  if (hashes_.size() <= usual_hashes) return;
  end_ = place_of(hashes_[usual_hashes]);
  hashes_.erase(std::lower_bound(hashes_.begin(), hashes_.end(), end_), hashes_.end());
}

bool PlaceHashes::collided() {
  sort();
  return collided_;
}

}  // namespace vtmirror::mirror
