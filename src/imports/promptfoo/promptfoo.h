// A promptfoo suite as a config of `custom` with its data: prompts × providers become variants, tests become
// cases, assertions become metrics. Whatever has no counterpart is listed with its place; nothing is dropped
// in silence.
#pragma once

#include <string>

#include "core/error.h"
#include "imports/imported.h"

namespace assay {

// `name` is that of the suite's file, which the text comes from. An error: the suite cannot be read at all.
Result<ImportedSuite> import_promptfoo(const std::string& name, std::string_view text,
                                       const SuiteFiles& files);

}  // namespace assay
