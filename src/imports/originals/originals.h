// Configs of the tools that Assay's evaluations come from, in their own words, as configs of those
// evaluations. What has no counterpart is listed with its line. An error: the file cannot be read, or is none
// of theirs.
#pragma once

#include <string>
#include <string_view>

#include "core/error.h"
#include "imports/imported.h"

namespace assay {

// The evaluation of a chat application's components: a YAML config whose file is named after the task
// (question_router.yaml). Data stay where they are.
Result<ImportedSuite> import_chat_components(const std::string& name, std::string_view text);
// A task of the benchmark of PromptQL and tool calling, in any of the shapes that its files have had. Files
// that it names (ground truths) are read through `files`.
Result<ImportedSuite> import_benchmark_task(const std::string& name, std::string_view text,
                                            const SuiteFiles& files);
// A job of the persona evaluation's data service (the body of process-evals), or an evaluation request with
// its items, as JSON.
Result<ImportedSuite> import_persona_job(const std::string& name, std::string_view text);

}  // namespace assay
