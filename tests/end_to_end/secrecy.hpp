// Looks for secrets where none may be: in all files of a case's directory, and in all that its programs said.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace vtmirror::test {

/// Fails the running case, naming place and kind but not the secret. Left out are the simulator's own files, the
/// configuration's, and the files that are there to hold a secret: those that the program wrote must be open to nobody
/// else.
void look_for(const std::vector<std::string>& secrets, const std::filesystem::path& directory, std::size_t said_before);

using LookAtFile = std::function<void(const std::filesystem::path&)>;

/// Calls `look` with each regular file below the directory, but not with the simulator's own, and begins again when
/// something vanished meanwhile: a case's last process may still rename and remove. Returns whether each file was
/// looked at that was there at the end; false for a directory that is missing.
bool each_file(const std::filesystem::path& directory, const LookAtFile& look);

/// Where a text holds one of them, or the query of a link; empty where it holds none.
std::string leak_in(const std::string& text, const std::vector<std::string>& secrets);

}  // namespace vtmirror::test
