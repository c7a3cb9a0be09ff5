// Data sets and results of other evaluation tools as a config with its data. Each takes what `text` (of a
// file called `name`) holds, lists what it could not take with its place, and says in `notes` what was
// assumed. An error: nothing can be taken.
#pragma once

#include <string>
#include <string_view>

#include "core/error.h"
#include "imports/imported.h"

namespace assay {

// Ragas: rows of user_input, response, retrieved_contexts, reference (older: question, answer, contexts,
// ground_truth), as JSON Lines, JSON or CSV. Becomes rag_answers.
Result<ImportedSuite> import_ragas(const std::string& name, std::string_view text);
// DeepEval: goldens and test cases as JSON or CSV, and the results of a test run (.deepeval). Becomes custom.
Result<ImportedSuite> import_deepeval(const std::string& name, std::string_view text);
// Inspect: a log as JSON, or the samples of a data set as JSON Lines or CSV. Becomes custom.
Result<ImportedSuite> import_inspect(const std::string& name, std::string_view text);

}  // namespace assay
