#include "mirror/lent.hpp"

#include "mirror/children.hpp"
#include "mirror/own_names.hpp"
#include "vtmirror/core/consumer.hpp"
#include "vtmirror/core/listing.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace vtmirror::mirror {
namespace {

std::string place_of(const std::string& consumer, const std::string& name) {
  return own::below(own::below(own::next, consumer), name);
}

/// A file under one of its names.
struct Seen {
  std::int64_t size = 0;
  std::uint64_t inode = 0;
};

/// Empty if there is no regular file.
base::Result<std::optional<Seen>> look_at(const Tree& tree, const std::string& path) {
  const Opened file = tree.try_open(path, O_RDONLY);
  for (const int no_file : {ENOENT, ENOTDIR, ELOOP, EISDIR, ENXIO})
    if (file.error == no_file) return std::optional<Seen>();
  struct stat status {};
  const int error = file.error != 0 ? file.error : base::error_of(::fstat(file.descriptor.get(), &status));
  if (error != 0) return failure(error, path, "look at");
  return std::optional(Seen{status.st_size, status.st_ino});
}

base::Result<void> must_be_usable(const std::string& consumer, const std::vector<ports::VerifiedFile>& files) {
  if (!core::is_consumer_name(consumer))
    return base::Error{.code = base::Errc::io, .detail = "\"" + consumer + "\" is no name of a consumer"};
  for (const auto& file : files)
    if (auto fine = core::check_name(file.name); !fine) return fine;
  return {};
}

/// Removes what is below `.vtmirror/next/CONSUMER`, except `all_but`.
base::Result<void> clear(const Tree& tree, const std::string& consumer, const std::set<std::string>& all_but) {
  const auto top = own::below(own::next, consumer);
  const auto found = files_below(tree, top);
  if (!found) return found.error();
  for (const Child& file : *found) {
    if (all_but.contains(file.name)) continue;
    const auto path = own::below(top, file.name);
    if (auto removed = tree.remove(path); !removed) return removed.error();
    if (auto removed = tree.remove_empty_parents(path, own::next); !removed) return removed;
  }
  return {};
}

/// False if the file cannot have a second name.
base::Result<bool> give_name(const Tree& tree, const std::string& consumer, const ports::VerifiedFile& file) {
  const auto there = look_at(tree, file.name);
  if (!there) return there.error();
  if (!*there || (*there)->size != file.size)
    return base::Error{.code = base::Errc::io,
                       .detail = core::short_name(file.name) + " is not in the mirror as it was published",
                       .diagnosis = base::Diagnosis::not_as_published};
  const auto path = place_of(consumer, file.name);
  const auto before = look_at(tree, path);
  if (!before) return before.error();
  if (*before && (*before)->inode == (*there)->inode) return true;
  if (auto made = tree.make_directory(parent_of(path)); !made) return made.error();
  // What is there may be an older edition.
  if (auto removed = tree.remove(path); !removed) return removed.error();
  return tree.make_name(file.name, path);
}

}  // namespace

base::Result<ports::Loan> lend(const Tree& tree, const std::string& consumer,
                               const std::vector<ports::VerifiedFile>& files) {
  if (auto usable = must_be_usable(consumer, files); !usable) return usable.error();
  std::set<std::string> names;
  for (const auto& file : files) names.insert(file.name);
  if (auto cleared = clear(tree, consumer, names); !cleared) return cleared.error();
  ports::Loan loan{.paths = {}, .is_kept = true};
  for (const auto& file : files) {
    const auto is_named = give_name(tree, consumer, file);
    if (!is_named) return is_named.error();
    loan.paths.push_back(*is_named ? place_of(consumer, file.name) : file.name);
    loan.is_kept = loan.is_kept && *is_named;
  }
  return loan;
}

base::Result<std::optional<ports::Loan>> lent(const Tree& tree, const std::string& consumer,
                                              const std::vector<ports::VerifiedFile>& files) {
  if (auto usable = must_be_usable(consumer, files); !usable) return usable.error();
  ports::Loan loan{.paths = {}, .is_kept = true};
  for (const auto& file : files) {
    const auto second = place_of(consumer, file.name);
    const auto there = look_at(tree, second);
    if (!there) return there.error();
    const auto only = *there ? there : look_at(tree, file.name);
    if (!only) return only.error();
    if (!*only || (*only)->size != file.size) return std::optional<ports::Loan>();
    loan.paths.push_back(*there ? second : file.name);
    loan.is_kept = loan.is_kept && there->has_value();
  }
  return std::optional(std::move(loan));
}

base::Result<void> withdraw(const Tree& tree, const std::vector<std::string>& all_but) {
  const auto consumers = children(tree, own::next);
  if (!consumers) return consumers.error();
  for (const Child& consumer : *consumers) {
    if (std::ranges::find(all_but, consumer.name) != all_but.end()) continue;
    if (auto cleared = clear(tree, consumer.name, {}); !cleared) return cleared;
  }
  return {};
}

}  // namespace vtmirror::mirror
