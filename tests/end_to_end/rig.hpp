// A simulator and a mirror of its own for each test, in a directory that goes with it.
#pragma once

#include "end_to_end/child.hpp"
#include "support/temporary_directory.hpp"

#include <boost/json.hpp>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace vtmirror::test {

struct Request {
  std::string at;  ///< api, issuer, store
  std::string path;
  std::string range;
  int status = 0;
  std::int64_t sent = 0;
  int connection = 0;
  boost::json::object headers;
};

class Rig {
 public:
  /// `script`: the simulator's script (JSON); `date`: the simulated day; `base`: where its directory is made.
  explicit Rig(const std::string& script = "{}", const std::string& date = "2026-11-18",
               const std::string& base = TemporaryDirectory::usual_base());
  /// Fails the case when anything that the programs wrote in it (files, catalogue, stdout, stderr) holds a secret.
  ~Rig();
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;
  /// A further text that must be nowhere but in the configuration and in the files named so.
  void mark(const std::string& secret) { marked_.push_back(secret); }

  /// `vtmirror --config ... COMMAND...`, to its end.
  Ended vtmirror(const std::vector<std::string>& command, const std::vector<std::string>& environment = {});
  std::vector<std::string> command_line(const std::vector<std::string>& command) const;

  boost::json::value control(const std::string& method, const std::string& path, const std::string& body = "");
  std::vector<Request> requests(const std::string& at = "");
  /// What the service lists now: name and SHA-256.
  std::map<std::string, std::string> upstream();
  /// Public files of the mirror: name and SHA-256.
  std::map<std::string, std::string> held() const;

  std::filesystem::path directory() const { return directory_.path(); }
  std::filesystem::path mirror() const { return directory_.path() / "config/state/mirror"; }
  std::filesystem::path config() const { return directory_.path() / "config/vtmirror.toml"; }
  const boost::json::object& service() const { return service_; }
  /// A line is added to a table of the written configuration, or replaces the one of that key.
  void set(const std::string& table, const std::string& key, const std::string& value);

 private:
  TemporaryDirectory directory_;
  std::unique_ptr<Child> simulator_;
  boost::json::object service_;
  std::vector<std::string> marked_;
  std::size_t said_before_ = 0;
};

std::string sha256_of(const std::filesystem::path& path);
boost::json::object manifest_of(const Rig& rig);

/// A [[hook]] of the configuration that runs `script` in a shell. `on`: a list of events, as TOML.
void add_hook(const Rig& rig, const std::string& on, const std::string& script, const std::string& timeout = "1m");

}  // namespace vtmirror::test
