#include "mirror/zip_check.hpp"

#include "mirror/libzip_archive.hpp"
#include "mirror/member_reader.hpp"
#include "mirror/zip_layout.hpp"

namespace vtmirror::mirror {

base::Result<void> check_zip(const base::Descriptor& file, const std::string& name, Tally& tally) {
  const auto zip = zip_file(file, name);
  if (!zip) return zip.error();
  const auto layout = read_layout(*zip, limits_of_checks, tally);
  if (!layout) return layout.error();
  const auto archive = LibzipArchive::open(*zip, tally);
  if (!archive) return archive.error();
  if (archive->members() != layout->entries.size()) return zip_damage(name, "programs read different members from it");
  MemberReader members(*zip, tally, MemberReader::Engine::strict, most_inflated(zip->size));
  for (std::uint64_t index = 0; index < archive->members(); ++index) {
    const auto& entry = layout->entries[index];
    auto read = MemberReader::can_read(entry) ? members.read(entry, {}) : members.read_by(*archive, index, entry, {});
    if (!read) return read;
  }
  return {};
}

}  // namespace vtmirror::mirror
