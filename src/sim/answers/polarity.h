// Words as models and schemas use them for yes, no and something in between.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/json/json.h"

namespace assay::sim {

enum class Polarity { negative, unsure, positive };

// "yes", "SUPPORTED", "not_relevant", "idk", …; none for other words.
std::optional<Polarity> polarity_of(std::string_view word);

// Whether all of these values are words of a polarity and both sides are among them.
bool is_polar(std::span<const Json* const> values);

}  // namespace assay::sim
