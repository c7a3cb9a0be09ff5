// The system under test of a component evaluation: a command, an HTTP service or a prompted model that turns
// a case into its actual fields.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/config.h"
#include "core/json/json.h"
#include "engine/work.h"
#include "evaluations/components/data.h"

namespace assay::components {

Key target_key();

class Target {
 public:
  virtual ~Target() = default;
  // `input` holds the case's fields under their own names. The result holds `actual` fields only, of the
  // right types; anything else the target said is dropped.
  virtual Task<Result<JsonObject>> generate(JsonObject input, CaseContext& context) const = 0;
  virtual void estimate(const JsonObject& input, CallEstimate& estimate) const = 0;
  virtual std::vector<std::string> models() const = 0;
};

// From `target` of the config; null after problems. `text_field` is the case's text (`INPUT` of a command),
// and `schema` the JSON schema of the actual fields for a model that names none of its own.
struct TargetContract {
  std::string text_field;
  std::vector<DataField> actual;
  Json schema;
};
std::unique_ptr<Target> make_target(const Config& config, TargetContract contract,
                                    std::vector<ConfigProblem>& problems);

}  // namespace assay::components
