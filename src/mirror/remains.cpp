#include "mirror/remains.hpp"

#include "mirror/own_names.hpp"
#include "mirror/text_file.hpp"
#include "vtmirror/base/text.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace vtmirror::mirror {
namespace {

namespace json = boost::json;

std::string text_of(const json::object& object, std::string_view key) {
  const auto* value = object.if_contains({key.data(), key.size()});
  return value == nullptr || !value->is_string() ? std::string() : std::string(value->get_string());
}

std::int64_t number_of(const json::object& object, std::string_view key) {
  const auto* value = object.if_contains({key.data(), key.size()});
  return value == nullptr || !value->is_int64() ? 0 : value->get_int64();
}

const json::array& array_of(const json::object& object, std::string_view key) {
  static const json::array none;
  const auto* value = object.if_contains({key.data(), key.size()});
  return value == nullptr || !value->is_array() ? none : value->get_array();
}

bool is_digest(std::string_view text) {
  constexpr std::size_t length = 64;
  return text.size() == length && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

void read_member(const json::object& member, ports::Remains& remains) {
  core::Held file;
  file.name = text_of(member, "name");
  file.kind = text_of(member, "kind") == core::name(core::Kind::bulk) ? core::Kind::bulk : core::Kind::delta;
  file.size = number_of(member, "size");
  const auto digest = text_of(member, "sha256");
  if (is_digest(digest)) file.sha256 = digest;
  const auto date = base::parse_date(text_of(member, "date"));
  if (!date || !core::check_name(file.name)) return;
  file.date = *date;
  remains.chain.push_back(std::move(file));
}

/// Where the manifest cannot be read: "current" leads to ".vtmirror/current-42", or "current-42-2".
std::int64_t generation_of_current(const Tree& tree) {
  const auto target = tree.link_target(own::current);
  if (!target || !*target) return 0;
  const auto leaf = leaf_of(**target);
  if (!leaf.starts_with(own::current_prefix)) return 0;
  const auto number = leaf.substr(own::current_prefix.size());
  const auto generation = base::parse_int(number.substr(0, number.find('-')));
  return generation ? *generation : 0;
}

}  // namespace

void read_manifest(std::string_view text, ports::Remains& remains) {
  boost::system::error_code error;
  const auto value = json::parse({text.data(), text.size()}, error);
  if (error || !value.is_object()) return;
  const auto& manifest = value.get_object();
  remains.generation = std::max<std::int64_t>(remains.generation, number_of(manifest, "generation"));
  if (const auto at = base::parse_time(text_of(manifest, "published_at"))) remains.published_at = *at;
  for (const auto& member : array_of(manifest, "chain"))
    if (member.is_object()) read_member(member.get_object(), remains);
  for (const auto& day : array_of(manifest, "absent_upstream")) {
    const auto date = base::parse_date(day.is_string() ? std::string(day.get_string()) : std::string());
    if (date) remains.absent_upstream.push_back(*date);
  }
}

void read_sums(std::string_view text, ports::Remains& remains) {
  constexpr std::size_t digest = 64;
  constexpr std::string_view gap = "  ";
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.size() <= digest + gap.size() || line.substr(digest, gap.size()) != gap) continue;
    const auto name = line.substr(digest + gap.size());
    if (is_digest(line.substr(0, digest)) && core::check_name(name))
      remains.sums.emplace_back(std::string(name), std::string(line.substr(0, digest)));
  }
}

base::Result<ports::Remains> read_remains(const Tree& tree) {
  ports::Remains remains;
  remains.generation = generation_of_current(tree);
  const auto manifest = read_text(tree, own::manifest);
  if (!manifest) return manifest.error();
  if (*manifest) read_manifest(**manifest, remains);
  const auto sums = read_text(tree, own::sums);
  if (!sums) return sums.error();
  if (*sums) read_sums(**sums, remains);
  return remains;
}

}  // namespace vtmirror::mirror
