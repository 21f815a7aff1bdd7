#include "mirror/remains.hpp"

#include "mirror/own_names.hpp"
#include "mirror/text_file.hpp"
#include "vtmirror/base/json.hpp"
#include "vtmirror/base/text.hpp"

#include <algorithm>

namespace vtmirror::mirror {
namespace {

bool is_digest(std::string_view text) {
  constexpr std::size_t length = 64;
  return text.size() == length && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

void read_member(const base::JsonObject& member, ports::Remains& remains) {
  core::Held file;
  file.name = member.text("name");
  file.kind = member.text("kind") == core::name(core::Kind::bulk) ? core::Kind::bulk : core::Kind::delta;
  file.size = member.integer("size");
  const auto digest = member.text("sha256");
  if (is_digest(digest)) file.sha256 = digest;
  const auto date = base::parse_date(member.text("date"));
  if (!date || !core::check_name(file.name)) return;
  file.date = *date;
  remains.chain.push_back(std::move(file));
}

/// Used if the manifest cannot be read: "current" points to ".vtmirror/current-42", or "current-42-2".
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
  const auto document = base::parse_json_object(text);
  if (!document) return;
  const base::JsonObject manifest(*document);
  remains.generation = std::max(remains.generation, manifest.integer("generation"));
  if (const auto at = manifest.optional_time("published_at")) remains.published_at = *at;
  for (const auto& member : manifest.objects("chain")) read_member(member, remains);
  remains.absent_upstream = manifest.dates("absent_upstream");
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
