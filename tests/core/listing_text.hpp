// Listings as the service would write them, and with any one field spoilt.
#pragma once

#include <string>
#include <vector>

namespace vtmirror::core::test {

/// The JSON of one entry, field by field, so that a case can spoil one of them. An empty field is left out.
struct Fields {
  std::string filename = R"("v1/public/delta/year=2026/month=11/day=16/delta-light-vehicle_16-11-2026.zip")";
  std::string link = R"("https://store.example/a.zip?X-Amz-Signature=5ecret")";
  std::string size = "95800000";
  std::string created = R"("2026-11-16")";

  std::string json() const {
    std::string text;
    const auto add = [&text](const char* key, const std::string& value) {
      if (!value.empty()) text += (text.empty() ? "" : ",") + ("\"" + std::string{key} + "\":") + value;
    };
    add("filename", filename);
    add("downloadUrl", link);
    add("fileSize", size);
    add("fileCreatedOn", created);
    return "{" + text + "}";
  }
};

inline std::string two(int number) { return (number < 10 ? "0" : "") + std::to_string(number); }

inline std::string entry(const std::string& kind, int day) {
  Fields fields;
  fields.filename = "\"v1/public/" + kind + "/year=2026/month=11/day=" + std::to_string(day) + "/" + kind +
                    "-light-vehicle_" + two(day) + "-11-2026.zip\"";
  fields.created = "\"2026-11-" + two(day) + "\"";
  return fields.json();
}

inline std::string named(const std::string& name, const std::string& created = "2026-11-16") {
  Fields fields;
  fields.filename = "\"" + name + "\"";
  fields.created = "\"" + created + "\"";
  return fields.json();
}

inline std::string listing(const std::vector<std::string>& bulk, const std::vector<std::string>& delta) {
  const auto array = [](const std::vector<std::string>& entries) {
    std::string text;
    for (const auto& one : entries) text += (text.empty() ? "" : ",") + one;
    return "[" + text + "]";
  };
  return "{\"bulk\":" + array(bulk) + ",\"delta\":" + array(delta) + "}";
}

}  // namespace vtmirror::core::test
