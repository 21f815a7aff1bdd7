// From nothing to a working mirror: settings that are asked for, written and tested, and an ordinary user's own.
#include "end_to_end/daemon_site.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sstream>

using namespace vtmirror::test;

namespace {

/// The value of a line `key = "value"` of the simulator's configuration.
std::string value_of(const Rig& rig, const std::string& key) {
  const auto text = read_file(rig.config());
  const auto begin = text.find('\n' + key + " = \"") + key.size() + 5;
  return text.substr(begin, text.find('"', begin) - begin);
}

mode_t mode_of(const fs::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : 0;
}

/// Settings to begin with: what is not asked for, so that nothing lies outside the case's directory.
struct NewSite {
  explicit NewSite(const std::string& faults = "{}") : rig(faults) {
    fs::create_directories(settings.parent_path());
    write_file(settings, "# kept\n[mirror]\nstate_directory = \"" + (settings.parent_path() / "state").string() +
                             "\"\nreserve = \"1MiB\"\n[control]\nsocket = \"" +
                             (settings.parent_path() / "s").string() + "\"\ngroup = \"\"\n");
  }

  std::vector<std::string> answers(const std::string& base_url) const {
    return {"config",      "init",
            "--output",    settings.string(),
            "--base-url",  base_url,
            "--token-url", value_of(rig, "token_url"),
            "--scope",     value_of(rig, "scope"),
            "--client-id", value_of(rig, "client_id"),
            "--ca-file",   value_of(rig, "ca_file")};
  }
  std::vector<std::string> all_answers() const {
    auto words = answers(value_of(rig, "base_url"));
    words.insert(words.end(), {"--client-secret-file", value_of(rig, "client_secret_file"), "--api-key-file",
                               value_of(rig, "api_key_file")});
    return words;
  }
  Ended with_new(const std::vector<std::string>& command) {
    std::vector<std::string> words{VTMIRROR_PROGRAM, "--config", settings.string()};
    words.insert(words.end(), command.begin(), command.end());
    return run(words);
  }

  Rig rig;
  fs::path settings = rig.directory() / "new/vtmirror.toml";
};

/// A terminal to type on; the program gets its other end as stdin.
class Terminal {
 public:
  Terminal() : master_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    if (master_ < 0 || ::grantpt(master_) != 0 || ::unlockpt(master_) != 0) throw std::runtime_error("posix_openpt");
  }
  ~Terminal() { ::close(master_); }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  std::string path() const { return ::ptsname(master_); }
  /// All that was printed on it. Every program that prints must have ended: one call of read(2) may return a part,
  /// because the kernel brings a line to this end a little later, and only a closed other end shows that no more comes.
  std::string read_all() const {
    std::string text;
    char piece[4096];
    for (;;) {
      const auto length = ::read(master_, piece, sizeof piece);
      if (length < 0 && errno == EINTR) continue;
      if (length <= 0) return text;  // EIO: the other end is closed, and all was read
      text.append(piece, static_cast<std::size_t>(length));
    }
  }
  void type(const std::string& line) const {
    const auto text = line + '\n';
    REQUIRE(::write(master_, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }

 private:
  int master_;
};

}  // namespace

TEST_CASE("config init writes what it was given, tests it line by line, and a sync works at once") {
  NewSite site;
  const auto made = run([&] {
    auto words = site.all_answers();
    words.insert(words.begin(), VTMIRROR_PROGRAM);
    return words;
  }());
  CAPTURE(made.err);
  CAPTURE(made.out);
  CHECK(made.status == 0);
  for (const auto* line :
       {"answers, and its certificate is valid", "the client secret is right: a token for",
        "the API key is right: ", "bulk 15 Nov, delta 15 Nov to delta 18 Nov", " free; the listed files need "})
    CHECK(has(made.out, line));
  CHECK(has(made.err, "the settings are right"));
  CHECK(read_file(site.settings).starts_with("# kept\n[mirror]\n"));
  CHECK(site.rig.requests("store").empty());

  const auto synced = site.with_new({"sync"});
  CAPTURE(synced.err);
  CHECK(synced.status == 0);
  const auto again = site.with_new({"config", "check", "--online"});
  CHECK(again.status == 0);
  CHECK(has(again.out, "no mistakes"));
  CHECK(has(again.out, "the API key is right"));
}

TEST_CASE("config init asks on a terminal, repeats a question whose answer is wrong, and never shows a secret") {
  NewSite site;
  const Terminal terminal;
  const auto secret = read_file(value_of(site.rig, "client_secret_file"));
  const auto key = read_file(value_of(site.rig, "api_key_file"));
  Child init({"sh", "-c",
              "exec " + std::string(VTMIRROR_PROGRAM) + " config init --output " + site.settings.string() +
                  " --ca-file " + value_of(site.rig, "ca_file") + " <" + terminal.path()});
  const auto answer = [&](const std::string& prompt, const std::string& line) {
    REQUIRE(init.read_until([&](const Ended& so_far) { return has(so_far.err, prompt); }));
    terminal.type(line);
  };
  answer("Address of the service", "ftp://api.example");
  answer("must be an https address", value_of(site.rig, "base_url"));
  answer("Address for access tokens", value_of(site.rig, "token_url"));
  answer("Scope", value_of(site.rig, "scope"));
  answer("Client ID", value_of(site.rig, "client_id"));
  answer("E-mail address of the registration", "not an address");
  answer("must be an e-mail address", "");
  answer("Client secret (not shown)", secret.substr(0, secret.find('\n')));
  answer("API key (not shown)", key.substr(0, key.find('\n')));
  const auto ended = init.wait();
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  for (const auto* name : {"client_secret", "api_key"}) CHECK(mode_of(site.settings.parent_path() / name) == 0600);
  CHECK(read_file(site.settings.parent_path() / "client_secret") == secret);
  CHECK(site.with_new({"sync"}).status == 0);
}

TEST_CASE("config init says what is missing where it cannot ask, and keeps answers that are there") {
  NewSite site;
  const auto empty = read_file(site.settings);
  auto words = site.answers(value_of(site.rig, "base_url"));
  const auto missing = site.rig.vtmirror(words);
  CHECK(missing.status == 2);
  CHECK(has(missing.err, "config init needs --client-secret-file, --api-key-file, because stdin is no terminal"));
  CHECK(read_file(site.settings) == empty);

  words = site.all_answers();
  words[5] = "http://api.example";
  const auto wrong = site.rig.vtmirror(words);
  CHECK(wrong.status == 2);
  CHECK(has(wrong.err, "--base-url: "));
  CHECK(read_file(site.settings) == empty);

  REQUIRE(site.rig.vtmirror(site.all_answers()).status == 0);
  const auto full = read_file(site.settings);
  const auto refused = site.rig.vtmirror(site.all_answers());
  CHECK(refused.status == 2);
  CHECK(has(refused.err, "--force replaces them"));
  CHECK(read_file(site.settings) == full);
  words = site.all_answers();
  words.emplace_back("--force");
  CHECK(site.rig.vtmirror(words).status == 0);
  CHECK(read_file(site.settings) == full);
}

TEST_CASE("with --force and an option, config init corrects that answer and keeps all others without a question") {
  NewSite site;
  auto words = site.all_answers();
  words.insert(words.end(), {"--email", "mirror@client.example"});
  REQUIRE(site.rig.vtmirror(words).status == 0);
  const auto right = read_file(site.settings);
  CHECK(has(right, "email = \"mirror@client.example\""));
  const auto scope = value_of(site.rig, "scope");
  const auto corrected = [&](const std::string& id) {
    return site.rig.vtmirror({"config", "init", "--output", site.settings.string(), "--force", "--client-id", id});
  };
  const auto wrong = corrected("another");
  CAPTURE(wrong.err);
  CHECK(wrong.status == 1);
  CHECK(has(read_file(site.settings), "client_id = \"another\""));
  const auto mended = corrected(value_of(site.rig, "client_id"));
  CAPTURE(mended.err);
  CHECK(mended.status == 0);
  CHECK(has(mended.out, "the API key is right"));
  CHECK(read_file(site.settings) == right);

  const auto bare = site.rig.vtmirror({"config", "init", "--output", site.settings.string(), "--force"});
  CHECK(bare.status == 2);
  CHECK(has(bare.err, "config init needs --base-url, --token-url, --scope, --client-id, --client-secret-file"));
  write_file(site.settings, "[service]\nscope = \"" + scope + "\"\n");
  const auto lacking = corrected("me");
  CHECK(lacking.status == 2);
  CHECK(has(lacking.err, "config init needs --base-url, --token-url, --client-secret-file, --api-key-file, because"));
}

TEST_CASE("with --force and an option, config init does not ask again for the e-mail address that was skipped") {
  NewSite site;
  REQUIRE(site.rig.vtmirror(site.all_answers()).status == 0);
  const Terminal terminal;
  Child init({"sh", "-c",
              "exec " + std::string(VTMIRROR_PROGRAM) + " config init --force --output " + site.settings.string() +
                  " --ca-file " + value_of(site.rig, "ca_file") + " <" + terminal.path()});
  // An answer for a question that must not be asked, so that the case ends.
  terminal.type("");
  const auto ended = init.wait();
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK_FALSE(has(ended.err, "E-mail address"));
}

TEST_CASE("without an e-mail address, secret rotate says which address is meant and where to set it") {
  NewSite site;
  REQUIRE(site.rig.vtmirror(site.all_answers()).status == 0);
  const auto ended = site.with_new({"secret", "rotate"});
  CHECK(ended.status == 2);
  CHECK(has(ended.err, "the request for a new secret must contain the e-mail address of the registration"));
  CHECK(has(ended.err, "set it in " + site.settings.string()));
}

TEST_CASE("config init writes its keys in the order of the shipped file, and its lines fit a terminal") {
  NewSite site;
  fs::remove(site.settings);
  auto words = site.all_answers();
  words.insert(words.begin(), VTMIRROR_PROGRAM);
  const Terminal terminal;
  std::string line;
  for (const auto& word : words) line += "'" + word + "' ";
  // The sizes of a new terminal are 0, which counts as 80 columns.
  const auto made = run({"sh", "-c", line + "2>" + terminal.path()},
                        {"STATE_DIRECTORY=" + (site.settings.parent_path() / "state").string()});
  CHECK(has(made.out, "the API key is right"));
  const auto text = read_file(site.settings);
  std::size_t before = 0;
  for (const auto* key : {"[service]", "base_url", "token_url", "scope", "ca_file", "[credentials]", "client_id",
                          "client_secret_file", "api_key_file"}) {
    const auto at = text.find('\n' + std::string(key));
    CHECK(at != std::string::npos);
    CHECK(at > before);
    before = at;
  }
  std::istringstream shown(terminal.read_all());
  int lines = 0;
  for (std::string each; std::getline(shown, each); ++lines) CHECK(each.size() <= 81);  // with the carriage return
  CHECK(lines >= 2);
}

TEST_CASE("a test that fails is named with the request and what to do, and the answers stay") {
  NewSite site;
  auto words = site.all_answers();
  SUBCASE("a wrong secret") {
    write_file(site.rig.directory() / "config/client_secret", "another-secret-of-no-use\n");
    const auto ended = site.rig.vtmirror(words);
    CAPTURE(ended.err);
    CHECK(ended.status == 1);
    CHECK(has(ended.out, "answers, and its certificate is valid"));
    CHECK_FALSE(has(ended.out, "is right"));
    CHECK(has(ended.err, "token request to localhost:"));
  }
  SUBCASE("a wrong key") {
    write_file(site.rig.directory() / "config/api_key", "another-key-of-no-use\n");
    const auto ended = site.rig.vtmirror(words);
    CAPTURE(ended.err);
    CHECK(ended.status == 1);
    CHECK(has(ended.out, "the client secret is right"));
    CHECK(has(ended.err, "listing request to localhost:"));
    CHECK(has(ended.err, "the file of the API key"));
  }
  SUBCASE("a name that does not resolve") {
    words[7] = "https://login.invalid/token";
    const auto ended = site.rig.vtmirror(words);
    CAPTURE(ended.err);
    CHECK(ended.status == 1);
    CHECK_FALSE(has(ended.out, "ok"));
    CHECK(has(ended.err, "token request to login.invalid/"));
  }
  SUBCASE("a certificate of an unknown authority") {
    words.erase(words.begin() + 12, words.begin() + 14);
    const auto ended = site.rig.vtmirror(words);
    CAPTURE(ended.err);
    CHECK(ended.status == 1);
    CHECK(has(ended.err, "service.ca_file"));
    CHECK(has(ended.err, "to correct one answer, run"));
    CHECK(has(ended.err, " config init --force` with the option of that answer"));
  }
  CHECK(fs::exists(site.settings));
  CHECK(has(read_file(site.settings), "base_url = "));
}

TEST_CASE("a listing of refused entries alone ends the proof with exit 1, and sync says what to do about it") {
  NewSite site;
  site.rig.control("POST", "/script", R"({"listing_raw": "{\"bulk\":[{\"fileSize\":5}],\"delta\":[]}"})");
  const std::string advice = "report it to the service";
  for (const auto& words : {site.all_answers(), std::vector<std::string>{"config", "check", "--online"}}) {
    const auto ended = words[1] == "init" ? site.rig.vtmirror(words) : site.with_new(words);
    CAPTURE(ended.err);
    CHECK(ended.status == 1);
    CHECK(has(ended.out, "ok  the API key is right\n"));
    CHECK(has(ended.err, "the only entry of the listing cannot be used: "));
    CHECK(has(ended.err, advice));
  }
  const auto synced = site.with_new({"sync"});
  CAPTURE(synced.err);
  CHECK(synced.status == 1);
  CHECK(has(synced.err, ", 1 refused\nvtmirror: the service listed a name or size that is not safe to use: " + advice +
                            "; next try: `vtmirror sync`"));
}

TEST_CASE("a command whose settings file does not exist says the first step, in one line") {
  const Rig rig;
  const auto file = (rig.directory() / "none.toml").string();
  std::ostringstream expected;
  expected << "vtmirror: there is no settings file " << file << ": make it with `vtmirror config init --output " << file
           << "`, or give another with --config\n";
  for (const auto* command : {"sync", "run", "files"}) {
    const auto ended = run({VTMIRROR_PROGRAM, "--config", file, command});
    CHECK(ended.status == 2);
    CHECK(ended.err == expected.str());
  }
}

TEST_CASE("a command at a terminal loads no library that only a daemon under systemd needs") {
  const auto ended = run({VTMIRROR_PROGRAM}, {"LD_TRACE_LOADED_OBJECTS=1"});
  CHECK(has(ended.out, "libcrypto"));
  CHECK_FALSE(has(ended.out, "libsystemd"));
}

TEST_CASE("an ordinary user's own settings need no group, no root and no directory but the user's") {
  if (::geteuid() != 0) return skip("only root can become another user");
  const auto* nobody = ::getpwnam("nobody");
  if (nobody == nullptr) return skip("there is no user nobody here");
  if (run({"setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "test", "-x", VTMIRROR_PROGRAM}).status !=
      0)
    return skip("nobody may not run " + std::string(VTMIRROR_PROGRAM));
  Rig rig;
  const auto home = rig.directory() / "home";
  fs::permissions(rig.directory(), fs::perms(0755));
  fs::permissions(rig.directory() / "config", fs::perms(0755));
  fs::create_directories(home / "run");
  fs::permissions(value_of(rig, "ca_file"), fs::perms(0644));
  for (const auto* name : {"client_secret", "api_key"}) fs::copy_file(rig.directory() / "config" / name, home / name);
  for (const auto& path : {home, home / "run", home / "client_secret", home / "api_key"}) {
    REQUIRE(::chown(path.c_str(), nobody->pw_uid, nobody->pw_gid) == 0);
    fs::permissions(path, fs::perms(fs::is_directory(path) ? 0700 : 0600));
  }
  const auto as_user = [&](const std::vector<std::string>& command) {
    std::vector<std::string> words{"setpriv",
                                   "--reuid=nobody",
                                   "--regid=nogroup",
                                   "--clear-groups",
                                   "env",
                                   "-u",
                                   "XDG_CONFIG_HOME",
                                   "-u",
                                   "XDG_STATE_HOME",
                                   "HOME=" + home.string(),
                                   "XDG_RUNTIME_DIR=" + (home / "run").string(),
                                   VTMIRROR_PROGRAM};
    words.insert(words.end(), command.begin(), command.end());
    return words;
  };
  const auto made = run(as_user(
      {"config", "init", "--base-url", value_of(rig, "base_url"), "--token-url", value_of(rig, "token_url"), "--scope",
       value_of(rig, "scope"), "--client-id", value_of(rig, "client_id"), "--ca-file", value_of(rig, "ca_file"),
       "--client-secret-file", (home / "client_secret").string(), "--api-key-file", (home / "api_key").string()}));
  CAPTURE(made.err);
  CAPTURE(made.out);
  CHECK(has(made.err, "wrote " + (home / ".config/vtmirror/vtmirror.toml").string()));
  REQUIRE(fs::exists(home / ".config/vtmirror/vtmirror.toml"));
  write_file(home / ".config/vtmirror/vtmirror.toml", read_file(home / ".config/vtmirror/vtmirror.toml") +
                                                          "\n[mirror]\nreserve = \"1MiB\"\ndirectory = \"~/zips\"\n");
  const auto synced = run(as_user({"sync"}));
  CAPTURE(synced.err);
  CHECK(synced.status == 0);
  CHECK(fs::exists(home / ".local/state/vtmirror/catalogue.db"));
  CHECK(fs::exists(home / "zips/manifest.json"));

  Child daemon(as_user({"run"}));
  REQUIRE(daemon.read_until([](const Ended& so_far) { return has(so_far.err, "settings read from"); }));
  const auto asked = run(as_user({"status"}));
  CAPTURE(asked.err);
  CHECK(asked.status == 0);
  CHECK(has(asked.out, (home / "zips").string()));
  daemon.signal(SIGTERM);
  CHECK(daemon.wait().status == 0);
}

TEST_CASE("sync prints one event a line as JSON, or with --quiet nothing unless something is wrong") {
  Rig rig;
  const auto planned = rig.vtmirror({"sync", "--dry-run", "--json"});
  CHECK(planned.status == 0);
  CHECK(json::parse(planned.out).as_object().at("actions").as_array().size() == 5);
  const auto synced = rig.vtmirror({"sync", "--json"});
  CHECK(synced.status == 0);
  CHECK(synced.err == "");
  std::istringstream lines(synced.out);
  std::vector<json::object> events;
  for (std::string line; std::getline(lines, line);) events.push_back(json::parse(line).as_object());
  REQUIRE(events.size() > 4);
  CHECK(events.back().at("event").as_string() == "cycle");
  CHECK(events.back().at("outcome").as_string() == "complete");
  CHECK(events.back().at("files").as_int64() == 5);
  CHECK(events.front().at("event").as_string() == "journal");

  const auto quiet = rig.vtmirror({"sync", "--quiet"});
  CHECK(quiet.status == 0);
  CHECK(quiet.err + quiet.out == "");
  write_file(rig.directory() / "config/client_secret", "another-secret-of-no-use\n");
  const auto failed = rig.vtmirror({"sync", "--quiet"});
  CHECK(failed.status == 1);
  CHECK(failed.out == "");
  CHECK(has(failed.err, "secret"));
}

TEST_CASE("config show prints the mistakes, and the keys that have none") {
  Rig rig;
  rig.set("mirror", "keep_cycles", "-1");
  const auto shown = rig.vtmirror({"config", "show"});
  CHECK(shown.status == 2);
  CHECK(has(shown.err, "mirror.keep_cycles"));
  CHECK(has(shown.out, "\nstate_directory = \"" + (rig.directory() / "config/state").string() + "\""));
  CHECK_FALSE(has(shown.out, "\nkeep_cycles"));
  write_file(rig.config(), "no TOML");
  CHECK(rig.vtmirror({"config", "show"}).status == 2);
  CHECK(rig.vtmirror({"config", "show"}).out.empty());
}
