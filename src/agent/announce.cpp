#include "agent/announce.hpp"

#include "vtmirror/core/chain.hpp"
#include "vtmirror/report/chain.hpp"

namespace vtmirror::agent {

boost::asio::awaitable<base::Result<void>> announce_chain(CatalogueCalls& calls, base::Time at) {
  auto announce = [at](catalogue::Catalogue& c) -> base::Result<void> {
    const auto now = report::chain_now(c);
    if (!now) return now.error();
    return c.announce_chain(now->chain, core::content_of(now->chain, now->lost), at);
  };
  auto announced = co_await calls(std::move(announce));
  co_return announced;
}

}  // namespace vtmirror::agent
