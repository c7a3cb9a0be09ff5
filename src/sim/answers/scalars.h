// Numbers and texts that fit a shape and look as if somebody had written them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/json/json.h"
#include "sim/answers/shape.h"
#include "sim/chance.h"

namespace assay::sim {

// Nothing if the bounds leave no number.
std::optional<Json> make_number(const Shape& shape, Chance& chance);

// `name`: the property that the text is for; `words`: what prose is made of (a stock is used if it is empty).
// Nothing if no text can have the length or match the pattern asked for.
std::optional<std::string> make_text(const Shape& shape, std::string_view name,
                                     std::span<const std::string> words, Chance& chance);

// A sentence of `count` words: capital letter, full stop.
std::string make_sentence(std::span<const std::string> words, std::size_t count, Chance& chance);

}  // namespace assay::sim
