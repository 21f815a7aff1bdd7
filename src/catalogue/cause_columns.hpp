// A cause as columns of a row, and back. An error's code is stored by name, so that adding or removing a code does not
// change what older rows mean.
#pragma once

#include "catalogue/row.hpp"
#include "vtmirror/core/cause.hpp"

#include <string>
#include <string_view>

namespace vtmirror::catalogue {

/// For `cause`; "" if no error caused it.
std::string_view code_column(const core::Cause& cause);

/// From the columns `cause, detail, status`, of which `first` is the first. An unknown code is read as none.
core::Cause read_error(Row& row, int first);
/// From `cause, detail, status, subject, fields`.
core::Cause read_cause(Row& row, int first);

}  // namespace vtmirror::catalogue
