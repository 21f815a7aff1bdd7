#include "cli/commands.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/catalogue/catalogue.hpp"
#include "vtmirror/core/file_selection.hpp"
#include "vtmirror/mirror/contents.hpp"
#include "vtmirror/report/advice.hpp"
#include "vtmirror/report/chain.hpp"
#include "vtmirror/wiring/catalogue_rescue.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace vtmirror::cli {
namespace {

using base::Errc;

/// Where the lines go. Two members are separated by a line's end, even if the first one lacks it: otherwise its last
/// record and the first one of the next member would be one line.
class Output {
 public:
  /// 0, or errno of a write.
  int error() const { return error_; }
  bool has_begun() const { return has_begun_; }

  void begin_member() {
    if (!ends_a_line_) static_cast<void>(write(std::as_bytes(std::span("\n", 1))));
  }

  bool write(std::span<const std::byte> bytes) {
    if (!bytes.empty()) ends_a_line_ = bytes.back() == std::byte{'\n'};
    has_begun_ = has_begun_ || !bytes.empty();
    while (!bytes.empty() && error_ == 0) {
      const auto written = base::uninterrupted([&] { return ::write(STDOUT_FILENO, bytes.data(), bytes.size()); });
      if (written >= 0)
        bytes = bytes.subspan(static_cast<std::size_t>(written));
      else if (errno == EAGAIN)
        wait_for_room();
      else
        error_ = errno;
    }
    return error_ == 0;
  }

 private:
  static void wait_for_room() {
    pollfd room{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
    static_cast<void>(::poll(&room, 1, -1));
  }

  bool ends_a_line_ = true;
  bool has_begun_ = false;
  int error_ = 0;
};

/// A file that was opened before anything of it was printed: what is published meanwhile changes nothing of it.
struct OpenFile {
  std::string name;
  std::string label;
  std::string sha256;  ///< as it was published; empty if no digest was made
  base::Descriptor descriptor;
};
using OpenFiles = std::vector<OpenFile>;

/// Its subject is the file's name, as that of each error about damage here.
base::Error not_whole(const std::string& name, bool lost) {
  return {.code = Errc::integrity,
          .detail = core::short_name(name) + (lost ? " is no longer on disk" : " is damaged on disk"),
          .subject = name};
}

/// Whether the file alone is gone: a whole mirror that is not there is another matter.
bool is_gone(const settings::Config& config, const std::string& name) {
  const auto& directory = config.mirror.directory;
  return ::access(directory.c_str(), F_OK) == 0 && ::access((directory + '/' + name).c_str(), F_OK) != 0 &&
         errno == ENOENT;
}

base::Result<OpenFile> open_file(const settings::Config& config, const std::string& name, std::int64_t size,
                                 const std::string& sha256) {
  auto opened = mirror::open_published(config.mirror.directory, {.name = name, .sha256 = sha256, .size = size});
  if (!opened && is_gone(config, name)) return not_whole(name, true);
  if (!opened) return opened.error();
  return OpenFile{name, core::short_name(name), sha256, std::move(*opened)};
}

base::Result<OpenFiles> open_named(const Arguments& arguments, const settings::Config& config,
                                   const catalogue::Catalogue& catalogue) {
  const auto held = catalogue.files();
  if (held.has_error()) return held.error();
  const auto selected = core::selected_files(*held, std::span(&arguments.file, 1));
  if (!selected) return selected.error();
  const auto& file = selected->front();
  if (file.condition != core::Condition::whole) return not_whole(file.name, file.condition == core::Condition::lost);
  auto opened = open_file(config, file.name, file.size, file.sha256);
  if (!opened) return opened.error();
  OpenFiles files;
  files.push_back(std::move(*opened));
  return files;
}

base::Result<OpenFiles> open_files(const settings::Config& config, const std::vector<core::Held>& chain) {
  OpenFiles files;
  for (const auto& file : chain) {
    auto opened = open_file(config, file.name, file.size, file.sha256);
    if (!opened) return opened.error();
    files.push_back(std::move(*opened));
  }
  return files;
}

/// What is known to be damaged or lost would be missing from the output as if it had not come yet. A listed file from
/// before the chain is no part of it.
std::optional<base::Error> damage_in(const core::Chain& chain) {
  for (const auto& file : chain.missing) {
    if (!chain.files.empty() && file.date && *file.date < chain.files.front().date) continue;
    const bool lost = file.reason == core::MissingReason::lost;
    if (lost || file.reason == core::MissingReason::damaged) return not_whole(file.name, lost);
  }
  return std::nullopt;
}

/// People learn that more is to come; a program that needs the whole chain asks `vtmirror coverage` first.
void note_gaps(const core::Chain& chain) {
  if (chain.complete) return;
  std::cerr << "vtmirror: the chain is not complete; it is printed as far as it can be loaded";
  if (chain.through) std::cerr << ", through " << base::day_and_month(*chain.through);
  std::cerr << "\nvtmirror: see `vtmirror coverage`\n";
}

/// The chain may change between the catalogue's answer and the moment at which its last file is open: then the new one
/// is opened instead.
base::Result<OpenFiles> open_chain(const settings::Config& config, const catalogue::Catalogue& catalogue) {
  constexpr int most_tries = 10;
  auto before = report::coverage_of(catalogue);
  for (int tries = 1;; ++tries) {
    if (before.has_error()) return before.error();
    if (auto damage = damage_in(before->chain)) return std::move(*damage);
    auto files = open_files(config, before->chain.files);
    auto after = report::coverage_of(catalogue);
    if (after.has_error()) return after.error();
    if (after->chain.files == before->chain.files || tries == most_tries) {
      if (files && files->empty())
        return base::Error{
            .code = Errc::config,
            .detail = "there is no chain to print: the mirror holds no bulk file\nsee `vtmirror coverage`"};
      if (files) note_gaps(before->chain);
      return files;
    }
    before = std::move(after);
  }
}

/// A reader that closes the pipe is not an error: the process ends as other programs in a pipeline do.
ExitStatus end_by_closed_pipe() {
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
  return failed;
}

ExitStatus complain_about_output(int error) {
  if (error == EPIPE) return end_by_closed_pipe();
  std::cerr << "vtmirror: cannot write to stdout: " << std::error_code(error, std::generic_category()).message()
            << "; what was printed is not complete\n";
  return failed;
}

/// True if nobody knows.
bool can_come_again(const settings::Config& config, const std::string& name) {
  const auto catalogue = wiring::open_to_read(config.mirror.catalogue, config.mirror.directory);
  if (!catalogue || !*catalogue) return true;
  const auto calendar = (*catalogue)->calendar();
  return !calendar || core::is_listed(*calendar, name);
}

ExitStatus advise_repair(const std::string& name, const Arguments& arguments, const settings::Config& config) {
  const auto file = arguments.chain ? std::string() : " '" + base::printable(arguments.file, 120) + '\'';
  if (can_come_again(config, name))
    std::cerr << "vtmirror: `vtmirror verify --repair" << file << "` downloads it again\n";
  else
    std::cerr << "vtmirror: " << report::advice_on_unlisted << ", then run `vtmirror verify" << file
              << "`; `vtmirror coverage` shows what the chain lacks without it\n";
  return failed;
}

/// What the mirror does not have is no wrong usage: it may have it tomorrow.
ExitStatus complain(const base::Error& error, const Arguments& arguments, const settings::Config& config,
                    bool has_begun = false) {
  if (has_begun) std::cerr << "vtmirror: what was printed is not complete\n";
  if (error.code != Errc::integrity) {
    static_cast<void>(fail(error));
    return failed;
  }
  std::cerr << "vtmirror: " << error.detail << '\n';
  return advise_repair(error.subject, arguments, config);
}

/// Each member was sound: only the digest shows that they are those of another file.
ExitStatus complain_about_digest(const OpenFile& file, const Arguments& arguments, const settings::Config& config) {
  std::cerr << "vtmirror: what was printed is not what was published\n"
            << "vtmirror: " << file.label << ": its digest is not the one that was published\n";
  return advise_repair(file.name, arguments, config);
}

ExitStatus print(const OpenFiles& files, const Arguments& arguments, const settings::Config& config) {
  Output output;
  mirror::ContentsReader reader{.begin_member = [&] { output.begin_member(); },
                                .feed = [&](std::span<const std::byte> bytes) { return output.write(bytes); }};
  for (const auto& file : files) {
    reader.makes_digest = !file.sha256.empty();
    const auto read = mirror::read_contents(file.descriptor, file.label, arguments.member, reader);
    if (output.error() != 0) return complain_about_output(output.error());
    if (!read) {
      auto error = read.error();
      error.subject = file.name;
      return complain(error, arguments, config, output.has_begun());
    }
    if (*read != file.sha256) return complain_about_digest(file, arguments, config);
  }
  return done;
}

/// The catalogue is closed again before anything is printed, which may take hours. Empty before the first cycle.
base::Result<std::optional<OpenFiles>> open_what_is_asked_for(const Arguments& arguments,
                                                              const settings::Config& config) {
  const auto catalogue = wiring::open_to_read(config.mirror.catalogue, config.mirror.directory);
  if (catalogue.has_error()) return catalogue.error();
  if (!*catalogue) return std::optional<OpenFiles>();
  auto files = arguments.chain ? open_chain(config, **catalogue) : open_named(arguments, config, **catalogue);
  if (!files) return files.error();
  return std::optional(std::move(*files));
}

}  // namespace

ExitStatus cat(const Arguments& arguments, const settings::Config& config) {
  if (::fcntl(STDOUT_FILENO, F_GETFD) == -1) return complain_about_output(errno);
  const auto files = open_what_is_asked_for(arguments, config);
  if (!files) return complain(files.error(), arguments, config);
  if (*files) return print(**files, arguments, config);
  std::cerr << "vtmirror: no cycle has run yet: start one with `vtmirror sync`\n";
  return failed;
}

}  // namespace vtmirror::cli
