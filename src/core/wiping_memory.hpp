// A memory resource for JSON values that hold secrets: it overwrites memory on release, which Boost.JSON's own does
// not.
#pragma once

#include "vtmirror/base/secret.hpp"

#include <boost/json/memory_resource.hpp>

#include <string.h>  // explicit_bzero

#include <new>

namespace vtmirror::core {

class WipingMemory final : public boost::json::memory_resource {
  void* do_allocate(std::size_t size, std::size_t alignment) override {
    return ::operator new(size, std::align_val_t(alignment));
  }
  void do_deallocate(void* memory, std::size_t size, std::size_t alignment) override {
    ::explicit_bzero(memory, size);
    ::operator delete(memory, std::align_val_t(alignment));
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

}  // namespace vtmirror::core
