#include "vtmirror/host/host.hpp"

#include <random>

namespace vtmirror::host {
namespace {

class MachineDice : public ports::Dice {
 public:
  double roll() override {
    // The upper 53 bits fill a double's fraction. The result is never 1, unlike that of uniform_real_distribution,
    // which may round up.
    return static_cast<double>(numbers_() >> 11U) * 0x1p-53;
  }

 private:
  std::mt19937_64 numbers_ = [] {
    std::random_device device;
    std::seed_seq seed{device(), device(), device(), device()};
    return std::mt19937_64(seed);
  }();
};

}  // namespace

std::unique_ptr<ports::Dice> make_dice() { return std::make_unique<MachineDice>(); }

}  // namespace vtmirror::host
