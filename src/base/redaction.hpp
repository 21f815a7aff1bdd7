// Takes what signs, opens or logs in out of a text of the other side: queries, headers, JSON and XML.
// Rather hides too much than too little; a value that is cut off counts as a value to its end.
#pragma once

#include <string>
#include <string_view>

namespace vtmirror::base {

std::string redacted(std::string_view text);

}  // namespace vtmirror::base
