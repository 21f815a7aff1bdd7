// What the catalogue's roles share: the engine, and the callback for queued notices.
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
