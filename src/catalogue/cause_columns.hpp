// A cause as columns of a row, and back. Of an error's code its name is kept, so that a code that comes or goes does
// not change what older rows say.
#pragma once

#include "catalogue/row.hpp"
#include "vtmirror/core/cause.hpp"

#include <string>
#include <string_view>

namespace vtmirror::catalogue {

/// For `cause`; "" where no error lies behind it.
std::string_view code_column(const core::Cause& cause);

/// From the columns `cause, detail, status`, of which `first` is the first. A code that this program does not know is
/// none.
core::Cause read_error(Row& row, int first);
/// From `cause, detail, status, subject, fields`.
core::Cause read_cause(Row& row, int first);

}  // namespace vtmirror::catalogue
