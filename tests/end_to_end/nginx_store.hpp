// A store that is not of this project, for the real program: nginx over TLS, with signed links that end.
#pragma once

#include "end_to_end/listener.hpp"
#include "end_to_end/rig.hpp"

#include <openssl/evp.h>

#include <array>
#include <ctime>
#include <filesystem>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace vtmirror::test {

namespace fs = std::filesystem;

constexpr char signing_word[] = "a-word-of-this-test";

/// secure_link's signature: the MD5 of expiry, path and word, in URL-safe base64.
inline std::string signature(const std::string& path, std::time_t expires) {
  const auto text = std::to_string(expires) + path + " " + signing_word;
  std::array<unsigned char, 16> digest{};
  EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_md5(), nullptr);
  std::array<unsigned char, 32> encoded{};
  EVP_EncodeBlock(encoded.data(), digest.data(), static_cast<int>(digest.size()));
  std::string result(reinterpret_cast<const char*>(encoded.data()), 22);
  for (auto& c : result) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return result;
}

/// An entry of the listing.
inline std::string listed(const std::string& name, const std::string& link, std::uintmax_t size) {
  const auto base = fs::path(name).stem().string();
  const auto date =
      base.substr(base.size() - 4) + "-" + base.substr(base.size() - 7, 2) + "-" + base.substr(base.size() - 10, 2);
  return R"({"filename":")" + name + R"(","downloadUrl":")" + link + R"(","fileSize":)" + std::to_string(size) +
         R"(,"fileCreatedOn":")" + date + "\"}";
}

class NginxStore {
 public:
  /// `store_rules`: more for the store's location; `rules`: for all of nginx.
  explicit NginxStore(Rig& rig, const std::string& store_rules = "", const std::string& rules = "")
      : rig_(rig), root_(rig.directory() / "nginx") {
    fs::create_directories(root_ / "www/store");
    fs::create_directories(root_ / "temp");
    write_file(root_ / "nginx.conf", configuration(store_rules, rules));
    nginx_ = std::make_unique<Child>(std::vector<std::string>{"/usr/sbin/nginx", "-p", root_.string(), "-c",
                                                              (root_ / "nginx.conf").string(), "-e", "stderr"},
                                     std::vector<std::string>{"NGINX=" + std::to_string(listener_.socket()) + ";"});
  }

  std::string origin() const { return "https://localhost:" + std::to_string(listener_.port()); }

  /// Lists the files below www/store, with links that end at `expires`, and lead to another port if one is given.
  void list(std::time_t expires, int port = 0) {
    const auto origin = "https://localhost:" + std::to_string(port == 0 ? listener_.port() : port);
    std::string bulk;
    std::string delta;
    for (const auto& entry : fs::recursive_directory_iterator(root_ / "www/store")) {
      if (!entry.is_regular_file()) continue;
      const auto name = fs::relative(entry.path(), root_ / "www/store").string();
      const auto path = "/store/" + name;
      const auto link = origin + path + "?md5=" + signature(path, expires) + "&expires=" + std::to_string(expires);
      auto& rows = entry.path().filename().string().starts_with("bulk") ? bulk : delta;
      if (!rows.empty()) rows += ",";
      rows += listed(name, link, entry.file_size());
    }
    write_file(root_ / "www/listing.json", R"({"bulk":[)" + bulk + R"(],"delta":[)" + delta + "]}");
  }

  /// The mirror asks this nginx for tokens and for the listing too.
  void serve_everything() {
    rig_.set("service", "base_url", '"' + origin() + '"');
    rig_.set("service", "token_url", '"' + origin() + "/token\"");
  }

  fs::path store() const { return root_ / "www/store"; }
  std::string log() const { return read_file(root_ / "access.log"); }
  int port() const { return listener_.port(); }
  /// How many connections have asked for the bulk file.
  std::size_t connections_to_the_bulk_file() const {
    std::set<std::string> numbers;
    std::istringstream lines(log());
    for (std::string line; std::getline(lines, line);)
      if (line.find("/bulk/") != std::string::npos) numbers.insert(line.substr(line.rfind(' ')));
    return numbers.size();
  }

 private:
  std::string configuration(const std::string& store_rules, const std::string& rules) const {
    const auto at = [this](const std::string& name) { return (root_ / name).string(); };
    const auto state = rig_.directory() / "simulator";
    return "daemon off; user root; worker_processes 1; pid " + at("pid") + ";\nevents {}\nhttp {\n" + rules +
           "log_format short '$request_method $uri $status $http_range $connection';\naccess_log " + at("access.log") +
           " short;\n" + "client_body_temp_path " + at("temp") + "; proxy_temp_path " + at("temp") +
           "; fastcgi_temp_path " + at("temp") + "; uwsgi_temp_path " + at("temp") + "; scgi_temp_path " + at("temp") +
           ";\nserver {\nlisten 127.0.0.1:" + std::to_string(listener_.port()) + " ssl; root " + at("www") +
           ";\nssl_certificate " + (state / "server.pem").string() + "; ssl_certificate_key " +
           (state / "server.key").string() + ";\n" +
           "location = /token { default_type application/json; return 200 "
           "'{\"token_type\":\"Bearer\",\"expires_in\":3599,"
           "\"access_token\":\"t\"}'; }\n"
           "location = /v1/trade/vehicles/bulk-download { default_type application/json; alias " +
           at("www/listing.json") +
           "; }\n"
           "location /store/ { secure_link $arg_md5,$arg_expires; secure_link_md5 \"$secure_link_expires$uri " +
           signing_word +
           "\";\n"
           "if ($secure_link = \"\") { return 403; } if ($secure_link = \"0\") { return 410; }\n" +
           store_rules + "}\n}\n}\n";
  }

  Rig& rig_;
  fs::path root_;
  Listener listener_;
  std::unique_ptr<Child> nginx_;
};

}  // namespace vtmirror::test
