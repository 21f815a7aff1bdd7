#include "agent/start.hpp"

#include "agent/pruning.hpp"
#include "agent/rebuild.hpp"

#include <cstdint>
#include <optional>
#include <utility>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

/// Whether the manifest that is on the shelf says more than a new one could: it is of the catalogue's generation, and
/// the catalogue was rebuilt and knows no listing yet.
base::Result<bool> says_more(const catalogue::Files& files, std::optional<std::int64_t> published) {
  const auto listed_at = files.listed_at();
  if (!listed_at) return listed_at.error();
  const auto generation = files.generation();
  if (!generation) return generation.error();
  return !*listed_at && published == *generation;
}

}  // namespace

awaitable<base::Result<void>> start(Ports ports, CatalogueCalls& calls, Recovery& recovery, ports::CheckRules check,
                                    std::optional<core::Policy> policy, const std::atomic<bool>& stopping) {
  Rebuild rebuild(ports, calls, check, stopping);
  const auto rebuilt = co_await rebuild.run();
  if (!rebuilt) co_return rebuilt.error();
  auto look = [&shelf = ports.shelf] { return shelf.generation(); };
  const auto published = co_await off_loop(ports.pool.get_executor(), std::move(look));
  if (!published) co_return published.error();
  auto compare = [published = *published](catalogue::Files& files) { return says_more(files, published); };
  const auto shelf_says_more = co_await calls(std::move(compare));
  if (!shelf_says_more) co_return shelf_says_more.error();
  auto recovered = co_await recovery.run(*shelf_says_more, policy);
  if (recovered || recovered.error().code != base::Errc::no_space) co_return recovered;
  // No cycle would come to free the space of what is kept for a time.
  const auto released = co_await release_superseded(ports);
  if (!released) co_return recovered;
  auto again = co_await recovery.run(*shelf_says_more, policy);
  co_return again;
}

}  // namespace vtmirror::agent
