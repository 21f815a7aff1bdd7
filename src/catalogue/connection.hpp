// What stands behind the catalogue's roles: the engine, and whom to tell of what they queue.
#pragma once

#include "catalogue/driver.hpp"

#include <functional>
#include <memory>

namespace vtmirror::catalogue {

struct Connection {
  std::unique_ptr<Driver> driver;
  std::function<void()> queued{};  ///< called after each transaction that has queued a notice; may be empty
};

}  // namespace vtmirror::catalogue
