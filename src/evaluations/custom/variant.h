// Who gives the output: a prompted model, a service, a program, or a field of the data. A variant sees the
// fields of the case but for its answer keys.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/config/config.h"
#include "core/error.h"
#include "core/json/json.h"
#include "core/task.h"
#include "engine/context.h"
#include "engine/work.h"

namespace assay::custom {

// What a variant gave, as outputs.jsonl has it.
struct Reply {
  Json output;
  Json contexts = nullptr;  // what the answer rests on: a list
  Json trace = nullptr;     // tool calls in order: a list of {tool, arguments, result}
  Json meta = nullptr;      // latency_ms, cost_usd, usage, model, finish_reason
};

class Variant {
 public:
  virtual ~Variant() = default;
  // `fields` are what it may see. Errors are the target's (no output), or of whoever failed to ask it.
  virtual Task<Result<Reply>> answer(JsonObject fields, std::string step, CaseContext& context) const = 0;
  virtual void estimate(const JsonObject& fields, CallEstimate& estimate) const = 0;
  // Whether answer() asks anybody. One that does not is never asked to answer: given() reads its fields.
  virtual bool asks() const { return true; }
  virtual Result<Reply> given(const JsonObject& /*fields*/) const {
    return fail(ErrorKind::internal, "only an output that stands in the data is given");
  }
  // Whether its replies may bring contexts of their own: those of the data are then nothing to go by.
  virtual bool brings_contexts() const { return false; }
  virtual std::vector<std::string> models() const { return {}; }
  virtual std::vector<std::string> variables() const { return {}; }
  virtual std::vector<std::pair<std::string, std::string>> not_found() const { return {}; }
  // The `{field}`s that it is filled from, each with the key that holds it.
  virtual std::vector<std::pair<std::string, std::string>> placeholders() const = 0;
};

// `variants` and `matrix`.
Keys variant_keys();

struct NamedVariant {
  std::string name;  // "": the data hold the output
  std::unique_ptr<Variant> variant;
};

// Those of the config, in its order; the one that reads the data if it declares none.
std::vector<NamedVariant> read_variants(const Config& config, std::vector<ConfigProblem>& problems);

}  // namespace assay::custom
