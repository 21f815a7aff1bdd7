// `vtmirror next` and `vtmirror ack` where no daemon runs: a process that answers one question from the catalogue.
#pragma once

#include "simulation/process.hpp"

#include <optional>
#include <utility>

namespace vtmirror::test {

class LoneDesk {
 public:
  LoneDesk(Surroundings around, catalogue::Catalogue& catalogue, const core::ConsumerRules& rules)
      : pool_(0),
        strand_(pool_, catalogue),
        desk_({loop_.get_executor(), around.clock, around.dice, around.http, around.storage.partials(),
               around.storage.shelf(), around.journal, stop_, strand_, pool_, pool_, pool_},
              rules) {}

  template <class Value>
  base::Result<Value> ask(const Question<Value>& question) {
    std::optional<base::Result<Value>> answer;
    boost::asio::co_spawn(loop_, keep(question(desk_), answer), [](std::exception_ptr failure) {
      if (failure) std::rethrow_exception(failure);
    });
    while (!answer) step();
    return std::move(*answer);
  }

 private:
  template <class Value>
  static boost::asio::awaitable<void> keep(boost::asio::awaitable<base::Result<Value>> work,
                                           std::optional<base::Result<Value>>& answer) {
    answer = co_await std::move(work);
  }
  void step() {
    loop_.poll();
    loop_.restart();
    boost::system::error_code ignored;
    boost::asio::use_service<boost::asio::detail::scheduler>(pool_).poll_one(ignored);
  }

  ports::Stop stop_;
  boost::asio::io_context loop_{1};
  boost::asio::thread_pool pool_;
  agent::CatalogueStrand strand_;
  agent::ConsumerDesk desk_;
};

}  // namespace vtmirror::test
