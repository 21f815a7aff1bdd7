#include "agent/space.hpp"

#include "agent/off_loop.hpp"
#include "vtmirror/core/space.hpp"
#include "vtmirror/report/sentence.hpp"

#include <algorithm>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

base::Result<core::Fit> fit_of(ports::Partials& partials, std::int64_t reserve, const std::string& name,
                               std::int64_t size) {
  const auto files = partials.files();
  if (!files) return files.error();
  const auto free = partials.free_space();
  if (!free) return free.error();
  const auto own = std::ranges::find(*files, name, &core::LocalFile::name);
  return core::Space(*free, reserve).claim(size, own == files->end() ? 0 : own->allocated);
}

}  // namespace

awaitable<base::Result<void>> check_space(Ports ports, std::int64_t reserve, std::string name, std::int64_t size) {
  auto look = [&partials = ports.partials, reserve, name, size] { return fit_of(partials, reserve, name, size); };
  const auto fit = co_await off_loop(ports.pool.get_executor(), std::move(look));
  if (!fit) co_return fit.error();
  if (fit->fits) co_return base::Result<void>();
  const auto why = report::reason(core::no_room(*fit, reserve));
  co_return base::Error{base::Errc::no_space, "the store has another version of it now, which does not fit: " + why};
}

}  // namespace vtmirror::agent
