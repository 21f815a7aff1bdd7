#include "vtmirror/agent/consumers.hpp"

#include "agent/consumer_upkeep.hpp"
#include "agent/off_loop.hpp"
#include "agent/wake.hpp"
#include "vtmirror/catalogue/chain_now.hpp"
#include "vtmirror/core/unheard_offer.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

/// A publication may come between the answer and its record, but hardly that often in a row.
constexpr int most_tries = 10;

/// All that an answer is made of.
struct Situation {
  std::optional<core::ConsumerRecord> consumer;
  core::Edition edition;
  catalogue::ChainNow chain;
};

base::Result<Situation> read_situation(const catalogue::Catalogue& catalogue, const std::string& name) {
  auto consumer = catalogue.consumer(name);
  if (!consumer) return consumer.error();
  auto edition = catalogue.edition_now();
  if (!edition) return edition.error();
  auto chain = catalogue::chain_now(catalogue);
  if (!chain) return chain.error();
  if (const auto since = *consumer ? core::needed_from(**consumer) : std::nullopt) {
    auto calendar = catalogue.calendar_since(*since);
    if (!calendar) return calendar.error();
    chain->calendar = std::move(*calendar);
  }
  return Situation{std::move(*consumer), std::move(*edition), std::move(*chain)};
}

/// Makes the session, if there is none yet, and adds a consumer that is new.
base::Result<Situation> begin_situation(catalogue::Catalogue& catalogue, const std::string& name, base::Time now) {
  if (const auto edition = catalogue.edition(); !edition) return edition.error();
  auto situation = read_situation(catalogue, name);
  if (!situation || situation->consumer) return situation;
  if (const auto asked = catalogue.keep_asked(name, now); !asked) return asked.error();
  return read_situation(catalogue, name);
}

core::Offer decide(const Situation& situation, const core::ConsumerRules& rules, base::Time now) {
  const auto& [consumer, edition, chain] = situation;
  const core::MirrorNow mirror{edition, chain.calendar, chain.held, chain.chain};
  if (!consumer) return core::next_offer(std::nullopt, mirror, rules, now);
  return core::next_offer(*consumer, mirror, rules, now);
}

/// The offer that was recorded, if it belongs to this session and was not dropped.
const core::Offer* standing_offer(const Situation& situation) {
  const auto& consumer = situation.consumer;
  if (!consumer || !consumer->offer || consumer->ticket.empty()) return nullptr;
  if (consumer->offer->after.session != situation.edition.session) return nullptr;
  return &*consumer->offer;
}

bool is_same(const core::Offer& one, const core::Offer& other) {
  return one.action == other.action && std::ranges::equal(one.files, other.files, core::is_same_edition);
}

std::vector<ports::VerifiedFile> files_of(const core::Offer& offer) {
  std::vector<ports::VerifiedFile> files;
  for (const auto& file : offer.files) files.push_back({file.name, file.size, file.sha256});
  return files;
}

/// A file that has only its public name may have been replaced or removed meanwhile.
base::Result<bool> still_public(const catalogue::Files& catalogue, const core::Offer& offer) {
  const auto files = catalogue.files();
  if (!files) return files.error();
  return core::is_held(offer, core::stock_of(*files).held);
}

/// Whether the offer that was recorded may be lent once more where its bytes are no longer kept: within its lease,
/// because somebody removed the names or the shelf can give none, and later if it is what is next all the same.
bool may_be_lent_anew(const Situation& situation, const core::Offer& found, const core::ConsumerRules& rules,
                      base::Time now) {
  return has_lease(*situation.consumer, rules.lease, now) || is_same(found, *situation.consumer->offer);
}

/// Whether the offer that was recorded stands.
struct Standing {
  bool holds = false;
  bool is_kept = false;              ///< with the bytes that were offered, whatever comes under the public names
  std::vector<std::string> paths{};  ///< empty if a file is not there
};

/// Bytes that are kept are offered by any clock: a lease is not over before a cycle has taken them back.
base::Result<Standing> look_up(const catalogue::Catalogue& catalogue, ports::Shelf& shelf, const Situation& situation,
                               bool may_be_lent_anew) {
  const auto& name = situation.consumer->name;
  const auto& offer = *situation.consumer->offer;
  // Read once more: a file that was found damaged meanwhile ends the lease.
  const auto consumer = catalogue.consumer(name);
  if (!consumer) return consumer.error();
  auto loan = shelf.lent(name, files_of(offer));
  if (!loan) return loan.error();
  Standing standing;
  standing.is_kept = *consumer && (*consumer)->offered_at && *loan && (*loan)->is_kept;
  standing.holds = standing.is_kept;
  if (!standing.is_kept && may_be_lent_anew) {
    const auto is_public = still_public(catalogue, offer);
    if (!is_public) return is_public.error();
    standing.holds = *is_public;
  }
  if (*loan) standing.paths = std::move((*loan)->paths);
  return standing;
}

base::Result<NextFiles> preview_of(const catalogue::Catalogue& catalogue, ports::Shelf& shelf, const std::string& name,
                                   const core::ConsumerRules& rules, base::Time now) {
  const auto situation = read_situation(catalogue, name);
  if (!situation) return situation.error();
  NextFiles answer{.offer = decide(*situation, rules, now), .edition = situation->edition};
  if (const auto* offer = standing_offer(*situation)) {
    auto standing = look_up(catalogue, shelf, *situation, may_be_lent_anew(*situation, answer.offer, rules, now));
    if (!standing) return standing.error();
    standing->paths.resize(offer->files.size());
    if (standing->holds)
      return NextFiles{.offer = *offer, .edition = situation->edition, .paths = std::move(standing->paths)};
  }
  // They get second names when they are given. Names that are there already belong to another answer.
  for (const auto& file : answer.offer.files) answer.paths.push_back(shelf.path_of(file.name));
  return answer;
}

}  // namespace

struct ConsumerDesk::Impl {
  Impl(Ports p, core::ConsumerRules r) : ports(p), rules(r), calls(p.catalogue), turn(p.loop, 1) {}

  using Paths = std::optional<std::vector<std::string>>;

  awaitable<base::Result<NextFiles>> next(std::string consumer);
  awaitable<base::Result<std::optional<NextFiles>>> try_next(std::string consumer);
  awaitable<base::Result<std::optional<NextFiles>>> offer(std::string consumer, core::Offer found,
                                                          core::Edition edition);
  awaitable<base::Result<std::optional<NextFiles>>> renew(Situation situation, bool may_be_lent_anew);

  Ports ports;
  core::ConsumerRules rules;
  CatalogueCalls calls;
  Slots turn;  ///< one answer at a time
};

ConsumerDesk::ConsumerDesk(Ports ports, core::ConsumerRules rules) : impl_(std::make_unique<Impl>(ports, rules)) {}
ConsumerDesk::~ConsumerDesk() = default;

void ConsumerDesk::use(core::ConsumerRules rules) { impl_->rules = rules; }

awaitable<base::Result<NextFiles>> ConsumerDesk::next(std::string consumer) {
  co_await impl_->turn.acquire();
  const Taken turn(impl_->turn);
  auto answer = co_await impl_->next(std::move(consumer));
  co_return answer;
}

/// Only an answered request counts: an unanswered one does not show that the consumer keeps up.
awaitable<base::Result<NextFiles>> ConsumerDesk::Impl::next(std::string consumer) {
  const auto now = ports.clock.now();
  for (int tries = 0; tries < most_tries; ++tries) {
    auto answer = co_await try_next(consumer);
    if (!answer) co_return answer.error();
    if (!*answer) continue;
    auto keep = [consumer, now, has_all = (*answer)->offer.files.empty()](catalogue::Consumers& c) {
      return has_all ? c.keep_up_to_date(consumer, now) : c.keep_asked(consumer, now);
    };
    const auto kept = co_await calls(std::move(keep));
    if (!kept) co_return kept.error();
    co_return std::move(**answer);
  }
  co_return base::Error{base::Errc::io, "the mirror changes too fast to answer: try again in a moment"};
}

/// Empty if a file of the answer was replaced meanwhile.
awaitable<base::Result<std::optional<NextFiles>>> ConsumerDesk::Impl::try_next(std::string consumer) {
  const auto now = ports.clock.now();
  auto read = [consumer, now](catalogue::Catalogue& c) { return begin_situation(c, consumer, now); };
  auto situation = co_await calls(std::move(read));
  if (!situation) co_return situation.error();
  auto found = decide(*situation, rules, now);
  if (standing_offer(*situation) != nullptr) {
    auto renewed = co_await renew(*situation, may_be_lent_anew(*situation, found, rules, now));
    if (!renewed || *renewed) co_return renewed;
  }
  // An offer that no longer stands must not be acknowledged, and names of other files must not be taken for its own. It
  // may have been loaded.
  if (!situation->consumer->ticket.empty()) {
    auto drop = [consumer](catalogue::Consumers& c) { return c.drop_offer(consumer); };
    const auto dropped = co_await calls(std::move(drop));
    if (!dropped) co_return dropped.error();
  }
  if (found.files.empty())
    co_return NextFiles{std::move(found), std::move(situation->edition), situation->consumer->acknowledged};
  auto offered = co_await offer(consumer, std::move(found), situation->edition);
  co_return offered;
}

/// The offer that was recorded, for another lease. In one call, as in `offer`. Empty if it does not stand.
awaitable<base::Result<std::optional<NextFiles>>> ConsumerDesk::Impl::renew(Situation situation,
                                                                            bool may_be_lent_anew) {
  const auto& consumer = *situation.consumer;
  auto keep = [&shelf = ports.shelf, situation, may_be_lent_anew,
               now = ports.clock.now()](catalogue::Catalogue& c) -> base::Result<Paths> {
    const auto& name = situation.consumer->name;
    auto standing = look_up(c, shelf, situation, may_be_lent_anew);
    if (!standing) return standing.error();
    if (!standing->holds) return Paths();
    if (!standing->is_kept) {
      auto loan = shelf.lend(name, files_of(*situation.consumer->offer));
      if (!loan) return loan.error();
      standing->paths = std::move(loan->paths);
    }
    if (const auto kept = c.renew_offer(name, now); !kept) return kept.error();
    return Paths(std::move(standing->paths));
  };
  auto paths = co_await calls(std::move(keep));
  if (!paths) co_return paths.error();
  if (!*paths) co_return std::optional<NextFiles>();
  co_return NextFiles{*consumer.offer, situation.edition, consumer.ticket, std::move(**paths)};
}

/// One call, so that loans are not taken back between its steps. The bytes are kept before the offer is recorded: a
/// process that ends between leaves only names, which are taken back. A publication records that the old bytes go
/// before it replaces them, so that a file that is still recorded as it was had its own bytes when it got its second
/// name.
awaitable<base::Result<std::optional<NextFiles>>> ConsumerDesk::Impl::offer(std::string consumer, core::Offer found,
                                                                            core::Edition edition) {
  using Lent = std::optional<std::pair<std::string, std::vector<std::string>>>;
  auto keep = [&shelf = ports.shelf, consumer, found,
               now = ports.clock.now()](catalogue::Catalogue& c) -> base::Result<Lent> {
    auto loan = shelf.lend(consumer, files_of(found));
    if (!loan) {
      const auto is_public = still_public(c, found);
      if (!is_public) return is_public.error();
      return *is_public ? base::Result<Lent>(loan.error()) : Lent();
    }
    auto ticket = c.keep_offer(consumer, found, now);
    if (!ticket) return ticket.error();
    return *ticket ? Lent(std::pair(std::move(**ticket), std::move(loan->paths))) : Lent();
  };
  auto lent = co_await calls(std::move(keep));
  if (!lent) co_return lent.error();
  if (!*lent) co_return std::optional<NextFiles>();
  co_return NextFiles{std::move(found), std::move(edition), std::move((*lent)->first), std::move((*lent)->second)};
}

awaitable<base::Result<NextFiles>> ConsumerDesk::preview(std::string consumer) {
  auto look = [&shelf = impl_->ports.shelf, consumer, rules = impl_->rules, now = impl_->ports.clock.now()](
                  const catalogue::Catalogue& c) { return preview_of(c, shelf, consumer, rules, now); };
  auto answer = co_await impl_->calls(std::move(look));
  co_return answer;
}

awaitable<base::Result<core::Acknowledgement>> ConsumerDesk::acknowledge(std::string consumer, std::string ticket) {
  co_await impl_->turn.acquire();
  const Taken turn(impl_->turn);
  auto keep = [consumer, ticket, now = impl_->ports.clock.now()](catalogue::Consumers& c) {
    return c.acknowledge(consumer, ticket, now);
  };
  const auto kept = co_await impl_->calls(std::move(keep));
  if (!kept) co_return kept.error();
  // What cannot be removed now is removed after the next cycle.
  const auto removed = co_await withdraw_ended_loans(impl_->ports, impl_->calls);
  static_cast<void>(removed.has_value());
  co_return *kept;
}

awaitable<base::Result<bool>> ConsumerDesk::forget(std::string consumer) {
  co_await impl_->turn.acquire();
  const Taken turn(impl_->turn);
  auto drop = [consumer](catalogue::Consumers& c) { return c.forget(consumer); };
  const auto dropped = co_await impl_->calls(std::move(drop));
  if (!dropped) co_return dropped.error();
  const auto removed = co_await withdraw_ended_loans(impl_->ports, impl_->calls);
  static_cast<void>(removed.has_value());
  co_return *dropped;
}

}  // namespace vtmirror::agent
