// How a target is declared in a config.
#include "evaluations/components/target.h"

namespace assay::components {

Key target_key() {
  return {
      .name = "target",
      .type = KeyType::object,
      .help =
          "The system under test, needed with `generate: true`: exactly one of `command`, `http`, `model`.",
      .keys = {
          {.name = "command",
           .type = KeyType::command,
           .help = "A program, run once per case: the case as JSON on stdin, its text in INPUT; it prints "
                   "one JSON object with the actual fields.",
           .example = "[\"./classify.sh\"]"},
          {.name = "args",
           .type = KeyType::text_list,
           .help = "command: further arguments, `{field}` filled from the case.",
           .example = "[\"--language\", \"{language}\"]"},
          {.name = "env",
           .type = KeyType::any,
           .help = "command: further variables; `{field}` is filled from the case, `${NAME}` from the "
                   "environment and kept secret (one kind in a value).",
           .example = "{REGION: \"{region}\"}"},
          {.name = "cwd",
           .type = KeyType::path,
           .help = "command: the directory that it starts in; by default Assay's."},
          {.name = "concurrency",
           .type = KeyType::integer,
           .help = "How many cases at once; by default 4 for a command, limits.concurrency for HTTP.",
           .minimum = 1,
           .maximum = 10000},
          {.name = "http",
           .type = KeyType::object,
           .help = "A service, asked once per case; `{field}` is filled from the case.",
           .keys =
               {{.name = "url", .help = "Address.", .required = true},
                {.name = "method",
                 .help = "HTTP method.",
                 .default_value = "POST",
                 .choices = {"GET", "POST", "PUT", "PATCH"}},
                {.name = "headers",
                 .type = KeyType::any,
                 .help = "Headers; `${NAME}` is filled from the environment and kept secret."},
                {.name = "body", .type = KeyType::any, .help = "JSON or text; by default the whole case."},
                {.name = "map",
                 .type = KeyType::any,
                 .help = "JSON pointers into the reply, by actual field."}}},
          {.name = "model",
           .type = KeyType::object,
           .help = "A prompted model with structured output.",
           .keys = {{.name = "model", .help = "`provider/name` or a name under `models`.", .required = true},
                    {.name = "prompt",
                     .help = "The prompt; `{field}` is filled from the case.",
                     .required = true},
                    {.name = "schema",
                     .type = KeyType::any,
                     .help = "JSON schema of the reply; by default that of the actual fields."},
                    {.name = "temperature",
                     .type = KeyType::number,
                     .help = "Sampling temperature.",
                     .minimum = 0,
                     .maximum = 2},
                    {.name = "max_tokens",
                     .type = KeyType::integer,
                     .help = "Longest answer, in tokens.",
                     .minimum = 1,
                     .maximum = 10'000'000}}},
          {.name = "map",
           .type = KeyType::any,
           .help = "Where in the reply each actual field is (JSON pointers); by default under its own name.",
           .example = "{actual_outcome: /result/label}"},
          {.name = "timeout",
           .type = KeyType::duration,
           .help = "Longest time for one case of a command or HTTP target.",
           .default_value = "120s"},
          {.name = "attempts",
           .type = KeyType::integer,
           .help =
               "Tries per case; by default 1 for a command, limits.attempts for HTTP, attempts for a model.",
           .minimum = 1,
           .maximum = 100},
      }};
}

}  // namespace assay::components
