#include "vtmirror/core/notice.hpp"

#include "fuzz/targets.hpp"
#include "mirror/manifest.hpp"
#include "vtmirror/core/listing.hpp"

namespace vtmirror::fuzz {

void notice(std::string_view input) {
  const auto read = core::parse_notice(input);
  if (!read) return;
  const auto written = core::notice_json(*read);
  const auto again = core::parse_notice(written);
  demand(again.has_value(), "a notice that was written can be read");
  demand(core::notice_json(*again) == written, "and is the same");
}

/// Up to the first NUL as manifest.json, the rest as SHA256SUMS.
void manifest(std::string_view input) {
  ports::Remains remains;
  const auto end = input.find('\0');
  mirror::read_manifest(input.substr(0, end), remains);
  if (end != std::string_view::npos) mirror::read_sums(input.substr(end + 1), remains);
  (void)mirror::manifest_generation_of(input);
  for (const auto& file : remains.chain)
    demand(core::check_name(file.name).has_value(), "a name stays inside the mirror");
  for (const auto& [name, digest] : remains.sums) {
    demand(core::check_name(name).has_value(), "a name stays inside the mirror");
    demand(digest.size() == 64, "a digest has its length");
  }
}

}  // namespace vtmirror::fuzz
