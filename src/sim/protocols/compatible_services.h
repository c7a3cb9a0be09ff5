// Services that speak OpenAI's chat completions and take more than its parameters: which, by the names of
// their models. Mistral's seed has another name; DeepSeek, and who serves open models, are told by members of
// their own whether a model shall think.
#pragma once

#include <string_view>
#include <vector>

#include "sim/protocols/request_check.h"

namespace assay::sim {

// `openai` as the service of this model has them.
std::vector<std::string_view> parameters_of_service(std::string_view model,
                                                    std::vector<std::string_view> openai);

// xAI counts what a model thinks beside its answer's tokens, where others count it among them.
bool counts_thoughts_apart(std::string_view model);

// Groq's open models have an effort that OpenAI has not.
bool is_own_effort(std::string_view model, std::string_view effort);

// Reads what OpenAI's chat completions do not have. Whether the model is asked to think.
bool read_own_parameters(RequestCheck& check, const JsonObject& body);

}  // namespace assay::sim
