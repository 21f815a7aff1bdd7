#include "simulator/write_config.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace vtmirror::simulator {
namespace {

std::string toml_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string line(std::string_view key, const std::string& value) {
  return std::string(key) + " = " + toml_text(value) + "\n";
}

std::string config_text(const Simulator& simulator, const std::string& directory, bool plain) {
  const Identity& identity = simulator.identity();
  std::string text = "# Written by vtmirror-simulator for its own client; good for as long as it runs.\n[service]\n";
  text += line("base_url", simulator.addresses().api);
  text += line("token_url", simulator.addresses().issuer + token_path);
  text += line("scope", identity.scope);
  if (!plain) text += line("ca_file", directory + "/ca.pem");
  if (plain) text += "allow_http = true\n";
  text += "\n[credentials]\n";
  text += line("client_id", identity.client_id);
  text += line("email", identity.email);
  text += line("client_secret_file", directory + "/client_secret");
  text += line("api_key_file", directory + "/api_key");
  text += "\n[mirror]\n";
  text += line("state_directory", directory + "/state");
  text += "reserve = \"1MiB\"\n\n[control]\n";
  text += line("socket", directory + "/control.sock");
  return text + "group = \"\"\n";
}

}  // namespace

base::Result<void> write_config(const Simulator& simulator, const std::string& directory, bool plain) {
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  const std::string whole = std::filesystem::absolute(directory, failed).lexically_normal().string();
  const std::string place = whole.ends_with('/') ? whole.substr(0, whole.size() - 1) : whole;
  const Identity& identity = simulator.identity();
  if (!plain) {
    const auto authority = read_file(simulator.ca_file());
    if (!authority) return authority.error();
    if (const auto written = write_file(place + "/ca.pem", *authority); !written) return written.error();
  }
  const auto secret = write_file(place + "/client_secret", identity.client_secrets.back() + "\n", true);
  if (!secret) return secret.error();
  if (const auto key = write_file(place + "/api_key", identity.api_key + "\n", true); !key) return key.error();
  return write_file(place + "/vtmirror.toml", config_text(simulator, place, plain));
}

base::Result<void> write_file(const std::string& path, std::string_view text, bool secret) {
  const mode_t mode = secret ? 0600 : 0644;
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  if (file < 0) return base::Error{base::Errc::io, "cannot write " + path};
  const bool narrowed = fchmod(file, mode) == 0;  // for a file that already existed
  const bool written = narrowed && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(file);
  if (!written) return base::Error{base::Errc::io, "cannot write " + path};
  return {};
}

base::Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) return base::Error{base::Errc::io, "cannot read " + path};
  return text;
}

}  // namespace vtmirror::simulator
