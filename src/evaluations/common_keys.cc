#include "evaluations/common_keys.h"

#include <algorithm>
#include <array>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "models/providers/provider.h"

namespace assay {
namespace {

std::vector<std::string> provider_names() {
  std::vector<std::string> names;
  for (const Provider& provider : providers()) names.emplace_back(provider.name);
  return names;
}

// "OPENAI_API_KEY or ANTHROPIC_API_KEY": what the providers have in this column.
std::string either_of(std::string_view Provider::* variable) {
  std::vector<std::string_view> names;
  for (const Provider& provider : providers()) {
    if (!(provider.*variable).empty()) names.push_back(provider.*variable);
  }
  return join(names, " or ");
}

Key models_key() {
  return {.name = "models",
          .type = KeyType::object_map,
          .help = "Names of your own for models. Elsewhere a model is such a name or `provider/name`.",
          .keys = {{.name = "provider",
                    .help = "Whose protocol it speaks.",
                    .required = true,
                    .choices = provider_names()},
                   {.name = "name", .help = "The model's name at the provider.", .required = true},
                   {.name = "base_url",
                    .help = fmt::format(
                        "Address of another server with the same protocol; by default {}, then the "
                        "provider's own.",
                        either_of(&Provider::base_variable)),
                    .fills = Fills::when_used},
                   {.name = "api_key_env",
                    .help = fmt::format("Environment variable that holds the key; by default {}.",
                                        either_of(&Provider::key_variable))},
                   {.name = "max_tokens",
                    .type = KeyType::integer,
                    .help = "Longest answer, in tokens.",
                    .minimum = 1,
                    .maximum = 10'000'000},
                   {.name = "temperature",
                    .type = KeyType::number,
                    .help = "Sampling temperature where nothing else sets it.",
                    .minimum = 0,
                    .maximum = 2},
                   {.name = "structured",
                    .help = "How JSON answers are obtained; `auto` tries what the model can do.",
                    .default_value = "auto",
                    .choices = {"auto", "json_schema", "tools", "text"}},
                   {.name = "stream",
                    .type = KeyType::boolean,
                    .help = "Receive answers as a stream, so that a silent connection is noticed early.",
                    .default_value = false},
                   {.name = "timeout",
                    .type = KeyType::duration,
                    .help = "Longest time for one request; by default limits.timeout."}},
          .example = "local: {provider: openai, base_url: \"http://127.0.0.1:8080/v1\", name: qwen3}"};
}

Key limits_key() {
  return {
      .name = "limits",
      .type = KeyType::object,
      .help = "How fast and how long each provider is asked.",
      .keys =
          {{.name = "concurrency",
            .type = KeyType::integer,
            .help = "Requests in flight at once, per provider.",
            .default_value = 64,
            .minimum = 1,
            .maximum = 10000},
           {.name = "requests_per_minute",
            .type = KeyType::number,
            .help = "Requests a minute, per provider.",
            .minimum = 0.001,
            .maximum = 1e9},
           {.name = "tokens_per_minute",
            .type = KeyType::number,
            .help = "Tokens a minute, per provider.",
            .minimum = 1,
            .maximum = 1e12},
           {.name = "timeout",
            .type = KeyType::duration,
            .help = "Longest time for one request.",
            .default_value = "120s"},
           {.name = "idle_timeout",
            .type = KeyType::duration,
            .help = "Longest silence on a connection.",
            .default_value = "60s"},
           {.name = "attempts",
            .type = KeyType::integer,
            .help = "Tries of one HTTP request that fails in a way that may pass.",
            .default_value = 5,
            .minimum = 1,
            .maximum = 100},
           {.name = "same_failures",
            .type = KeyType::integer,
            .help =
                "The run stops when the same final failure came so often in a row with no success between.",
            .default_value = 10,
            .minimum = 1,
            .maximum = 1'000'000'000}},
      .decides = Decides::nothing};
}

}  // namespace

Keys common_keys() {
  return {
      {.name = "evaluation", .help = "Which evaluation this is.", .required = true},
      {.name = "what", .help = "Free text, shown in the report.", .decides = Decides::nothing},
      {.name = "output_dir",
       .type = KeyType::path,
       .help = "Where the run is written; by default results/EVALUATION/TIME.",
       .decides = Decides::nothing},
      {.name = "gates",
       .type = KeyType::text_list,
       .help = "Conditions on the figures; if one fails, the exit code is 1.",
       .example = "[\"accuracy >= 0.9\", \"errored == 0\"]",
       .flag = "gate",
       .decides = Decides::nothing},
      {.name = std::string(kSecretsFrom),
       .type = KeyType::path,
       .help = "Written by a run whose config holds secrets: the config that they are read from again, since "
               "they are not kept with the run.",
       .decides = Decides::nothing},
      {.name = "skip_invalid",
       .type = KeyType::boolean,
       .help = "Evaluate the good lines although others cannot be read; the summary counts them.",
       .default_value = false,
       .decides = Decides::cases},
      {.name = "limit",
       .type = KeyType::integer,
       .help = "Take the first so many cases only. A resume may raise it.",
       .minimum = 1,
       .maximum = 1e15,
       .decides = Decides::cases},
      {.name = "only",
       .type = KeyType::text_list,
       .help = "Take the cases with these ids only; the flag may be repeated.",
       .example = "[case-17, case-40]",
       .decides = Decides::cases},
      {.name = "reuse",
       .type = KeyType::path,
       .help = "Directory of an earlier run: answers to the same requests are taken from there.",
       .decides = Decides::nothing},
      {.name = "seed", .type = KeyType::integer, .help = "Seed of everything random.", .default_value = 0},
      {.name = "threads",
       .type = KeyType::integer,
       .help = "Event loops that the cases are spread over; one for each core if not given. Results do not "
               "depend on it.",
       .minimum = 1,
       .maximum = 256,
       .decides = Decides::nothing},
      {.name = "attempts",
       .type = KeyType::integer,
       .help = "How often a model is asked for one well-formed, complete answer.",
       .default_value = 3,
       .minimum = 1,
       .maximum = 20},
      limits_key(),
      {.name = "budget",
       .type = KeyType::object,
       .help = "Money.",
       .keys = {{.name = "usd",
                 .type = KeyType::number,
                 .help = "No call is started that could pass this sum; prices come from `prices`.",
                 .minimum = 0,
                 .maximum = 1e9}},
       .decides = Decides::nothing},
      models_key(),
      {.name = "prices",
       .type = KeyType::object_map,
       .help = "Dollars per million tokens, by model name; `*` matches anything.",
       .keys = {{.name = "prompt",
                 .type = KeyType::number,
                 .help = "Prompt tokens.",
                 .required = true,
                 .minimum = 0,
                 .maximum = 1e6},
                {.name = "completion",
                 .type = KeyType::number,
                 .help = "Answer tokens.",
                 .required = true,
                 .minimum = 0,
                 .maximum = 1e6},
                {.name = "cached",
                 .type = KeyType::number,
                 .help = "Prompt tokens read from the provider's cache; by default as prompt.",
                 .minimum = 0,
                 .maximum = 1e6},
                {.name = "cache_write",
                 .type = KeyType::number,
                 .help = "Prompt tokens written to it; by default as prompt.",
                 .minimum = 0,
                 .maximum = 1e6}},
       .example = "openai/gpt-4o: {prompt: 2.5, completion: 10}",
       .decides = Decides::nothing},
      {.name = "prompts",
       .type = KeyType::object_map,
       .help = "Your own prompt files instead of the built-in ones.",
       .keys = {{.name = "file", .type = KeyType::path, .help = "The file.", .required = true}},
       .shorthand = "file",
       .example = "rag/coherence: my-coherence.txt"},
      {.name = "http",
       .type = KeyType::object,
       .help = "How connections are made.",
       .keys = {{.name = "proxy",
                 .help =
                     "Proxy for all requests; by default as the environment says (https_proxy, no_proxy, …). "
                     "`${NAME}` is filled from the environment.",
                 .fills = Fills::when_used},
                {.name = "ca_file",
                 .type = KeyType::path,
                 .help = "Certificates of a private authority (PEM), beside the system's."}},
       .decides = Decides::nothing},
  };
}

}  // namespace assay
