#include "mirror/publication.hpp"

#include "mirror/current.hpp"
#include "mirror/digest.hpp"
#include "mirror/manifest.hpp"
#include "mirror/own_names.hpp"
#include "mirror/text_file.hpp"

#include <string>

namespace vtmirror::mirror {
namespace {

/// A string for the present state on disk. `.vtmirror/published` holds that of the last finished publication, because
/// SHA256SUMS has no place for a generation. While both are equal, no publication was interrupted and nothing was
/// changed by others.
std::optional<std::string> seal_of(const Tree& tree) {
  const auto manifest = read_text(tree, own::manifest);
  const auto sums = read_text(tree, own::sums);
  const auto current = current_text(tree);
  if (!manifest || !*manifest || !sums || !current) return std::nullopt;
  return "manifest.json " + sha256(**manifest) + "\nSHA256SUMS " + (*sums ? sha256(**sums) : "none") + "\ncurrent " +
         *current;
}

/// Contents that are already correct are not written again, so that programs that watch the file are not woken for
/// nothing. `switch_current` makes the name durable, because it syncs the directories in any case.
base::Result<void> make_say(const Tree& tree, std::string_view path, const std::string& text) {
  const auto said = read_text(tree, path);
  if (said && *said == text) return {};
  return replace_text(tree, path, text);
}

base::Result<void> write_sums(const Tree& tree, const std::vector<core::Held>& held) {
  const std::string text = sums_text(held);
  if (!text.empty()) return make_say(tree, own::sums, text);
  if (auto removed = tree.remove(own::sums); !removed) return removed.error();
  return {};
}

}  // namespace

base::Result<void> write_publication(const Tree& tree, const ports::Manifest& manifest,
                                     const std::vector<core::Held>& held) {
  if (auto written = make_say(tree, own::manifest, manifest_text(manifest)); !written) return written;
  if (auto written = write_sums(tree, held); !written) return written;
  if (auto switched = switch_current(tree, manifest.generation, manifest.chain.files); !switched) return switched;
  // Written last: an interruption before that leaves a seal that does not match.
  return make_say(tree, own::published, seal_of(tree).value_or(""));
}

std::optional<std::int64_t> published_generation(const Tree& tree) {
  const auto sealed = read_text(tree, own::published);
  if (!sealed || !*sealed || seal_of(tree) != **sealed) return std::nullopt;
  const auto manifest = read_text(tree, own::manifest);
  if (!manifest || !*manifest) return std::nullopt;
  return manifest_generation_of(**manifest);
}

}  // namespace vtmirror::mirror
