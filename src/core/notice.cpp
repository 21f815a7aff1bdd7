#include "vtmirror/core/notice.hpp"

#include "vtmirror/base/text.hpp"

#include <algorithm>

namespace vtmirror::core {

std::string_view name(Topic topic) noexcept {
  switch (topic) {
    case Topic::published:
      return "published";
    case Topic::cycle:
      return "cycle";
    case Topic::warning:
      return "warning";
    case Topic::test:
      break;
  }
  return "test";
}

std::string_view name(Urgency urgency) noexcept {
  switch (urgency) {
    case Urgency::info:
      return "info";
    case Urgency::warning:
      return "warning";
    case Urgency::error:
      break;
  }
  return "error";
}

std::string_view name(Stage stage) noexcept {
  switch (stage) {
    case Stage::single:
      return "single";
    case Stage::began:
      return "began";
    case Stage::over:
      break;
  }
  return "over";
}

std::chrono::seconds delivery_pause(int failed_attempts, std::optional<std::chrono::seconds> asked) {
  std::chrono::seconds pause = std::chrono::minutes(1);
  for (int n = 1; n < failed_attempts && pause < longest_delivery_pause; ++n) pause *= 3;
  return std::min(std::max(pause, asked.value_or(pause)), longest_delivery_pause);
}

Notice published_notice(const FileRecord& file, std::int64_t generation) {
  Notice notice{.topic = Topic::published, .code = "published"};
  notice.message =
      file.name + " is published (" + base::human_size(file.size) + ", generation " + std::to_string(generation) + ")";
  notice.at = file.published_at;
  notice.fields = {{"file", file.name},
                   {"kind", std::string(name(file.kind))},
                   {"date", base::iso8601(file.date)},
                   {"bytes", file.size},
                   {"sha256", file.sha256},
                   {"generation", generation}};
  return notice;
}

}  // namespace vtmirror::core
