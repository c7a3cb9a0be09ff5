#include "models/providers/provider.h"

#include <algorithm>
#include <array>
#include <utility>

#include "models/batch/batch_wire.h"
#include "models/providers/anthropic.h"
#include "models/providers/bedrock.h"
#include "models/providers/gemini.h"
#include "models/providers/openai.h"
#include "models/providers/responses.h"

namespace assay {
namespace {

// One row a provider. A service that speaks a wire which is here already needs no more than its row.
constexpr std::array kProviders{
    Provider{.name = "openai",
             .wire = &kOpenAiWire,
             .responses = &kResponsesWire,
             .base_url = "https://api.openai.com/v1",
             .base_variable = "OPENAI_BASE_URL",
             .key_variable = "OPENAI_API_KEY",
             .batches = &kOpenAiBatches,
             .responses_batches = &kOpenAiResponsesBatches,
             .promptql_name = "openai"},
    // The model is the name of a deployment. Responses are in the newer API alone, which has no versions.
    Provider{.name = "azure",
             .wire = &kOpenAiWire,
             .responses = &kResponsesWire,
             .base_variable = "AZURE_OPENAI_ENDPOINT",
             .key_variable = "AZURE_OPENAI_API_KEY",
             .domain = "azure.com",
             .path = "/openai/deployments/{model}?api-version=2024-10-21",
             .responses_path = "/openai/v1",
             .version_variable = "OPENAI_API_VERSION",
             .key_header = {"api-key"},
             .token_header = kBearer},
    Provider{.name = "anthropic",
             .wire = &kAnthropicWire,
             .base_url = "https://api.anthropic.com/v1",
             .base_variable = "ANTHROPIC_BASE_URL",
             .key_variable = "ANTHROPIC_API_KEY",
             .batches = &kAnthropicBatches,
             .key_header = {"x-api-key"},
             .promptql_name = "anthropic"},
    Provider{.name = "gemini",
             .wire = &kGeminiWire,
             .base_url = "https://generativelanguage.googleapis.com/v1beta",
             .base_variable = "GOOGLE_GEMINI_BASE_URL",
             .key_variable = "GEMINI_API_KEY",
             .key_header = {"x-goog-api-key"},
             .token_header = kBearer},
    Provider{.name = "vertex",
             .wire = &kVertexWire,
             .base_url = "https://${GOOGLE_CLOUD_LOCATION}-aiplatform.googleapis.com/v1/projects/"
                         "${GOOGLE_CLOUD_PROJECT}/locations/${GOOGLE_CLOUD_LOCATION}/publishers/google",
             .everywhere = "global-",
             .base_variable = "GOOGLE_VERTEX_BASE_URL",
             .key_variable = "CLOUDSDK_AUTH_ACCESS_TOKEN",
             .domain = "aiplatform.googleapis.com"},
    Provider{.name = "bedrock",
             .wire = &kBedrockWire,
             .base_url = "https://bedrock-runtime.${AWS_REGION}.amazonaws.com",
             .base_variable = "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
             .key_variable = "AWS_BEARER_TOKEN_BEDROCK",
             .domain = "amazonaws.com",
             .aws_service = "bedrock"},
    Provider{.name = "mistral",
             .wire = &kMistralWire,
             .base_url = "https://api.mistral.ai/v1",
             .base_variable = "MISTRAL_BASE_URL",
             .key_variable = "MISTRAL_API_KEY"},
    Provider{.name = "groq",
             .wire = &kOpenAiWire,
             .responses = &kResponsesWire,
             .base_url = "https://api.groq.com/openai/v1",
             .base_variable = "GROQ_BASE_URL",
             .key_variable = "GROQ_API_KEY",
             .path = "/openai/v1",
             .responses_path = "/openai/v1"},
    Provider{.name = "openrouter",
             .wire = &kOpenAiWire,
             .responses = &kResponsesWire,
             .base_url = "https://openrouter.ai/api/v1",
             .base_variable = "OPENROUTER_BASE_URL",
             .key_variable = "OPENROUTER_API_KEY",
             .path = "/api/v1",
             .responses_path = "/api/v1",
             .thinking = ThinkingForm::reasoning},
    Provider{.name = "together",
             .wire = &kOpenAiWire,
             .base_url = "https://api.together.xyz/v1",
             .base_variable = "TOGETHER_BASE_URL",
             .key_variable = "TOGETHER_API_KEY",
             .thinking = ThinkingForm::enabled},
    Provider{.name = "deepseek",
             .wire = &kOpenAiWire,
             .base_url = "https://api.deepseek.com/v1",
             .base_variable = "DEEPSEEK_BASE_URL",
             .key_variable = "DEEPSEEK_API_KEY",
             .thinking = ThinkingForm::typed},
    Provider{.name = "xai",
             .wire = &kOpenAiWire,
             .responses = &kResponsesWire,
             .base_url = "https://api.x.ai/v1",
             .base_variable = "XAI_BASE_URL",
             .key_variable = "XAI_API_KEY"},
    Provider{.name = "ollama",
             .wire = &kOpenAiWire,
             .responses = &kResponsesWire,
             .base_url = "http://127.0.0.1:11434/v1",
             .base_variable = "OLLAMA_HOST",
             .key_variable = "OLLAMA_API_KEY",
             .needs_key = false,
             .thinking = ThinkingForm::effort},
    Provider{.name = "vllm",
             .wire = &kOpenAiWire,
             .responses = &kResponsesWire,
             .base_url = "http://127.0.0.1:8000/v1",
             .base_variable = "VLLM_BASE_URL",
             .key_variable = "VLLM_API_KEY",
             .needs_key = false,
             .thinking = ThinkingForm::chat_template},
    Provider{.name = "llamacpp",
             .wire = &kOpenAiWire,
             .base_url = "http://127.0.0.1:8080/v1",
             .base_variable = "LLAMACPP_BASE_URL",
             .key_variable = "LLAMA_API_KEY",
             .needs_key = false,
             .thinking = ThinkingForm::chat_template},
    Provider{.name = "lmstudio",
             .wire = &kOpenAiWire,
             .responses = &kResponsesWire,
             .base_url = "http://127.0.0.1:1234/v1",
             .base_variable = "LMSTUDIO_BASE_URL",
             .key_variable = "LM_API_TOKEN",
             .needs_key = false},
    Provider{.name = "sim"},
};

// The second is another name of the first, with tools that their providers give out.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"AWS_REGION", "AWS_DEFAULT_REGION"},
    {"GEMINI_API_KEY", "GOOGLE_API_KEY"},
    {"GOOGLE_CLOUD_LOCATION", "GOOGLE_CLOUD_REGION"},
    {"GOOGLE_CLOUD_PROJECT", "CLOUDSDK_CORE_PROJECT"},
};

}  // namespace

std::span<const Provider> providers() {
  return kProviders;
}

const Provider* find_provider(std::string_view name) {
  const auto found = std::ranges::find(kProviders, name, &Provider::name);
  return found == kProviders.end() ? nullptr : &*found;
}

const Wire* find_wire(const Provider& provider, std::string_view api) {
  if (api == "responses") return provider.responses;
  // Only who has both has a choice.
  return api.empty() || provider.responses != nullptr ? provider.wire : nullptr;
}

const ErrorName* find_error(std::string_view word) {
  for (const Provider& provider : kProviders) {
    for (const Wire* wire : {provider.wire, provider.responses}) {
      if (wire == nullptr) continue;
      const auto found = std::ranges::find(wire->errors, word, &ErrorName::word);
      if (found != wire->errors.end()) return &*found;
    }
  }
  return nullptr;
}

Environment with_other_names(Environment inner) {
  return [inner = std::move(inner)](std::string_view name) {
    auto value = inner(name);
    for (const auto& [usual, other] : kOtherNames) {
      if (!value && usual == name) value = inner(other);
    }
    return value;
  };
}

}  // namespace assay
