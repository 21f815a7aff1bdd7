#include "agent/space.hpp"

#include "agent/off_loop.hpp"
#include "vtmirror/core/space.hpp"

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
  auto error = core::does_not_fit(*fit, reserve);
  error.diagnosis = base::Diagnosis::other_version;
  co_return error;
}

}  // namespace vtmirror::agent
