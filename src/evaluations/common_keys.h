// Config keys that every evaluation has.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/config.h"

namespace assay {

Keys common_keys();
// `judge: openai/gpt-4o` or `judge: {model: …, temperature: …}`.
Key judge_key();

// Keys whose change does not change any answer: they may differ when a run is resumed.
bool decides_answers(std::string_view key);

}  // namespace assay
