#include "fuzz/targets.hpp"
#include "mirror/zip_check.hpp"
#include "mirror/zip_follower.hpp"
#include "vtmirror/mirror/contents.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>

namespace vtmirror::fuzz {

namespace {

/// A file in memory with these bytes.
base::Descriptor file_of(std::string_view bytes) {
  base::Descriptor file(memfd_create("input", MFD_CLOEXEC));
  demand(file.valid(), "a file in memory can be made");
  demand(write(file.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "and written");
  return file;
}

}  // namespace

void zip(std::string_view input) {
  const auto bytes = std::as_bytes(std::span(input));
  const auto file = file_of(input);
  mirror::ZipFollower follower;
  for (std::size_t at = 0; at < bytes.size(); at += 61)
    follower.add(bytes.subspan(at, std::min<std::size_t>(61, bytes.size() - at)));
  mirror::Tally followed({});
  const auto good = follower.finish(file, "input", static_cast<std::int64_t>(bytes.size()), followed);
  mirror::Tally tally({});
  const auto checked = mirror::check_zip(file, "input", tally);
  demand(checked.has_value() || checked.error().code == base::Errc::integrity, "a verdict is about the file");
  if (!checked) demand(!checked.error().detail.empty(), "damage has its reason");
  if (good && *good) demand(checked.has_value(), "what was good while it arrived is good afterwards");
  std::size_t members = 0, total = 0;
  const mirror::ContentsReader reader{.begin_member = [&] { ++members; },
                                      .feed =
                                          [&](std::span<const std::byte> part) {
                                            total += part.size();
                                            return total < (std::size_t{64} << 20);
                                          }};
  const auto contents = mirror::read_contents(file, "input", std::nullopt, reader);
  if (!checked) return;
  demand(contents.has_value() || contents.error().code == base::Errc::cancelled, "a good file is unpacked to its end");
  demand(members > 0, "a good file has members");
}

}  // namespace vtmirror::fuzz
