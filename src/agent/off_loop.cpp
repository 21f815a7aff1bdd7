#include "agent/off_loop.hpp"

#include "vtmirror/base/text.hpp"

namespace vtmirror::agent {

void CatalogueCalls::log_busy(const base::Error& error, base::Milliseconds pause) {
  ports::Event event{.kind = ports::EventKind::catalogue_busy, .level = ports::Level::warning};
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(pause);
  event.message = "another process holds the catalogue's lock; next try in " + base::human_duration(seconds);
  event.fields.push_back({"reason", std::string(base::name(error.code))});
  patience_->journal.log(event);
}

}  // namespace vtmirror::agent
