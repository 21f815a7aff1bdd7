// One request to the store, and its answer or its refusal as an error.
// Promises that no known secret which the store repeats is in the answer or in the error. Never reads the body of a
// good answer.
#pragma once

#include "vtmirror/ports/clock.hpp"
#include "vtmirror/ports/http.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>
#include <string_view>

namespace vtmirror::agent {

/// "files.example", with the port if it is not the usual one: what of a link may be shown. Empty if it is no address.
std::string store_host(std::string_view link);

/// An answer that `brings_bytes`, whose body is next on `lane`. An ETag that repeats a known secret counts as none,
/// because it would be kept and sent back. `lane` is one of `http`; all must outlive the request. The body of a
/// refusal is read for a few seconds, and for one stall timeout more if nothing comes. Errors: those of
/// `Lane::get` and of `core::store_error`.
boost::asio::awaitable<base::Result<ports::RangeAnswer>> ask_store(ports::Http& http, ports::Clock& clock,
                                                                   ports::Lane& lane, std::string url,
                                                                   core::Range range, std::string if_match);

}  // namespace vtmirror::agent
