// JSON of the other side, read with a bound on its depth.
#pragma once

#include <boost/json/memory_resource.hpp>
#include <boost/json/value.hpp>
#include <boost/system/result.hpp>

#include <optional>
#include <string_view>

namespace vtmirror::core {

/// An error code of Boost.JSON when the text is no JSON, or nests deeper than 32 levels (`error::too_deep`). Texts
/// inside may be invalid UTF-8: whoever uses one checks it, so that one bad name does not cost the whole answer. Of a
/// key that comes twice the last one counts.
boost::system::result<boost::json::value> read_json(std::string_view text);

/// A short answer that is one object and may hold a secret: read into `memory`, which outlives it. Nothing when it is
/// none, nests deeper than 16 levels, or holds invalid UTF-8.
std::optional<boost::json::object> read_object(std::string_view text, boost::json::memory_resource& memory);

/// The member's text; empty when `value` is no object, lacks the member, or it is no text.
std::string_view text_member(const boost::json::value& value, std::string_view key);

}  // namespace vtmirror::core
