// The object store behind the links: signatures, expiry, ranges and conditions as an S3-like store has them.
#pragma once

#include "simulator/answer.hpp"
#include "simulator/fault.hpp"
#include "simulator/state.hpp"

namespace vtmirror::simulator {

/// `fault` may make the object another than it is; its effects on the delivery are not the store's.
Answer answer_store(State& state, const Request& request, base::Time now, const Fault& fault);

/// The version's name: changes with the object's bytes.
std::string etag_of(const Recipe& recipe);

}  // namespace vtmirror::simulator
