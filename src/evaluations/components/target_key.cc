// How a target is declared in a config.
#include "evaluations/components/target.h"
#include "evaluations/judge_config.h"

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
                   "one JSON object with the actual fields, or plain text.",
           .example = "[\"./classify.sh\"]"},
          {.name = "args",
           .type = KeyType::text_list,
           .help = "command: further arguments, `{field}` filled from the case, which must have it.",
           .example = "[\"--language\", \"{language}\"]",
           .fills = Fills::openly},
          {.name = "env",
           .type = KeyType::any,
           .help = "command: further variables; `{field}` is filled from the case, which must have it, "
                   "`${NAME}` from the environment and kept secret (one kind in a value).",
           .example = "{REGION: \"{region}\"}",
           .fills = Fills::when_used},
          {.name = "cwd",
           .type = KeyType::path,
           .help =
               "command: the directory that it starts in; by default Assay's. `{field}` is filled from the "
               "case, with a plain name."},
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
                 .help = "Headers; `${NAME}` is filled from the environment and kept secret.",
                 .fills = Fills::when_used},
                {.name = "body", .type = KeyType::any, .help = "JSON or text; by default the whole case."},
                {.name = "map",
                 .type = KeyType::any,
                 .help = "Where in the reply each actual field is; the same as `target.map`."}}},
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
                    temperature_key(),
                    max_tokens_key()}},
          {.name = "map",
           .type = KeyType::any,
           .help =
               "Where in the reply each actual field is: a JSON pointer, or `{at: POINTER}` with one of "
               "`names`, `bool_of`, `each`, `first`, `join`, `flags`, `any`; by default under its own name.",
           .example = "{actual_outcome: {at: /verdict, bool_of: {pass: false}}}"},
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
