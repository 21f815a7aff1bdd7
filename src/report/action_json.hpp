// A file of a plan or of a removal, read from JSON: what both answers say of it in the same members.
// Promises that both refuse the same values.
#pragma once

#include "vtmirror/base/json.hpp"
#include "vtmirror/core/plan.hpp"

namespace vtmirror::report {

/// Reads reason, kind, name, date and size. What is null stays as a new action has it.
void read_file(const base::JsonObject& fields, core::Action& action);

}  // namespace vtmirror::report
