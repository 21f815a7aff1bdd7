// Why a file cannot be loaded now: in the words of the chain, if that lacks it. Looks at no disk.
#pragma once

#include "vtmirror/core/consumer.hpp"

#include <string>

namespace vtmirror::core {

LoadWhy why_missing(const Chain& chain, const std::string& name, base::Date day);

}  // namespace vtmirror::core
