#include "end_to_end/rig.hpp"

#include "end_to_end/noon.hpp"
#include "end_to_end/secrecy.hpp"
#include "vtmirror/base/encoding.hpp"

#include <arpa/inet.h>
#include <openssl/evp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace vtmirror::test {

namespace fs = std::filesystem;

namespace {

int port_of(const std::string& address) { return std::stoi(address.substr(address.rfind(':') + 1)); }

/// One request over a connection of its own, to loopback.
std::string ask(int port, const std::string& request) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    ::close(socket);
    throw std::runtime_error("the simulator's control does not answer");
  }
  std::size_t sent = 0;
  while (sent < request.size()) {
    const auto count = ::send(socket, request.data() + sent, request.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) break;
    sent += static_cast<std::size_t>(count);
  }
  std::string answer;
  std::array<char, 65536> buffer;
  for (;;) {
    const auto count = ::recv(socket, buffer.data(), buffer.size(), 0);
    if (count <= 0) break;
    answer.append(buffer.data(), static_cast<std::size_t>(count));
  }
  ::close(socket);
  return answer;
}

std::string text_of(const boost::json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

}  // namespace

std::string sha256_of(const fs::path& path) {
  const std::string bytes = read_file(path);
  std::array<unsigned char, 32> digest{};
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
  return base::hex({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

boost::json::object manifest_of(const Rig& rig) {
  return boost::json::parse(read_file(rig.mirror() / "manifest.json")).as_object();
}

void add_hook(const Rig& rig, const std::string& on, const std::string& script, const std::string& timeout) {
  const auto text = read_file(rig.config());
  write_file(rig.config(), text + "\n[[hook]]\non = " + on + "\ncommand = [\"/bin/sh\", \"-c\", '''" + script +
                               "''']\ntimeout = \"" + timeout + "\"\n");
}

Rig::Rig(const std::string& script, const std::string& date, const std::string& base)
    : directory_(base), said_before_(everything_said().size()) {
  write_file(directory() / "script.json", script);
  simulator_ = std::make_unique<Child>(
      std::vector<std::string>{VTMIRROR_SIMULATOR, "--state", (directory() / "simulator").string(), "--date", date,
                               "--script", (directory() / "script.json").string(), "--write-config",
                               (directory() / "config").string(), "--for-seconds", "7200"});
  const bool ready = simulator_->read_until([](const Ended& e) { return e.out.find('\n') != std::string::npos; });
  if (!ready) throw std::runtime_error("the simulator did not start: " + simulator_->so_far().err);
  service_ = boost::json::parse(simulator_->so_far().out).as_object();
  // The day began long ago and ends in many hours, whatever the hour is here: what is late does not depend on when a
  // test runs.
  set("schedule", "time_zone", '"' + Noon().zone + '"');
  set("schedule", "at", "\"00:00\"");
  set("schedule", "splay", "\"0s\"");
  set("schedule", "give_up", "\"24h\"");
}

Rig::~Rig() {
  auto secrets = marked_;
  for (const auto* key : {"client_secret", "api_key"}) secrets.push_back(text_of(service_, key));
  try {
    const auto logged = control("GET", "/secrets");
    for (const auto& secret : logged.at("secrets").as_array()) secrets.emplace_back(secret.as_string());
  } catch (const std::exception&) {
    // A case that has ended its simulator: what it began with is known.
  }
  look_for(secrets, directory(), said_before_);
}

std::vector<std::string> Rig::command_line(const std::vector<std::string>& command) const {
  std::vector<std::string> line{VTMIRROR_PROGRAM, "--config", config().string()};
  line.insert(line.end(), command.begin(), command.end());
  return line;
}

Ended Rig::vtmirror(const std::vector<std::string>& command, const std::vector<std::string>& environment) {
  return run(command_line(command), environment);
}

boost::json::value Rig::control(const std::string& method, const std::string& path, const std::string& body) {
  const auto answer = ask(port_of(text_of(service_, "control")),
                          method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: " +
                              "application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  if (answer.find(" 200 ") == std::string::npos && answer.find(" 204 ") == std::string::npos)
    throw std::runtime_error("the simulator's control refuses " + path + ": " + answer.substr(0, 200));
  const auto body_at = answer.find("\r\n\r\n");
  const auto text = answer.substr(body_at + 4);
  return text.empty() ? boost::json::value() : boost::json::parse(text);
}

std::vector<Request> Rig::requests(const std::string& at) {
  std::vector<Request> requests;
  const auto log = control("GET", "/requests");
  for (const auto& row : log.as_array()) {
    const auto& object = row.as_object();
    Request request;
    request.at = text_of(object, "at");
    request.path = text_of(object, "path");
    request.range = text_of(object, "range");
    request.status = static_cast<int>(object.at("status").to_number<std::int64_t>());
    request.sent = object.at("sent").to_number<std::int64_t>();
    request.connection = static_cast<int>(object.at("connection").to_number<std::int64_t>());
    request.headers = object.at("headers").as_object();
    if (at.empty() || request.at == at) requests.push_back(std::move(request));
  }
  return requests;
}

std::map<std::string, std::string> Rig::upstream() {
  std::map<std::string, std::string> files;
  const auto listed = control("GET", "/files");
  for (const auto& [name, file] : listed.as_object()) files[name] = text_of(file.as_object(), "sha256");
  return files;
}

std::map<std::string, std::string> Rig::held() const {
  std::map<std::string, std::string> files;
  if (!fs::exists(mirror() / "v1")) return files;
  for (const auto& entry : fs::recursive_directory_iterator(mirror() / "v1"))
    if (entry.is_regular_file()) files[fs::relative(entry.path(), mirror()).string()] = sha256_of(entry.path());
  return files;
}

void Rig::set(const std::string& table, const std::string& key, const std::string& value) {
  const auto setting = key + " = " + value + "\n";
  std::istringstream lines(read_file(config()));
  std::string text;
  std::string line;
  bool inside = false;
  bool seen = false;
  while (std::getline(lines, line)) {
    if (line.starts_with('[')) inside = line == "[" + table + "]";
    if (inside && (line.starts_with(key + " ") || line.starts_with(key + "="))) continue;
    text += line + "\n";
    if (inside && line.starts_with('[')) {
      text += setting;
      seen = true;
    }
  }
  if (!seen) text += "[" + table + "]\n" + setting;
  write_file(config(), text);
}

}  // namespace vtmirror::test
