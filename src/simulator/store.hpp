// The object store behind the links: signatures, expiry, ranges and conditions like those of an S3-like store.
#pragma once

#include "simulator/answer.hpp"
#include "simulator/fault.hpp"
#include "simulator/state.hpp"

namespace vtmirror::simulator {

/// `fault` may change the object; its effects on the delivery are applied elsewhere.
Answer answer_store(State& state, const Request& request, base::Time now, const Fault& fault);

/// The ETag, which changes with the object's bytes.
std::string etag_of(const Recipe& recipe);

}  // namespace vtmirror::simulator
