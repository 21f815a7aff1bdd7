#include "simulator/write_config.hpp"

#include "simulator/write_file.hpp"

#include <filesystem>

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

}  // namespace vtmirror::simulator
