// The system under test of a component evaluation: a command, an HTTP service or a prompted model that turns
// a case into its actual fields.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/config/config.h"
#include "core/json/json.h"
#include "engine/work.h"
#include "evaluations/components/data.h"

namespace assay::components {

Key target_key();

// What a target is asked, what it gives, and what it must not see.
struct TargetContract {
  std::string text_field;         // the case's text (`INPUT` of a command)
  std::vector<DataField> input;   // hidden where they are the answer key
  std::vector<DataField> actual;  // what it gives; hidden, always
  Json schema;                    // JSON schema of the actual fields, for a model that names none of its own
};

// What a target gave for a case.
struct Generated {
  JsonObject fields;  // actual fields only, of the right types; anything else the target said is dropped
  // Secondary fields that it gave and that cannot be used, with what is wrong: they are missing, the rest
  // counts.
  std::vector<std::pair<std::string, std::string>> unusable;
  // The same as warnings of the outcome, under `warnings`; nothing if all is well.
  void warn(JsonObject& result) const;
};

// Only what visible() leaves reaches a kind of target: a line may be given whole, with everything that an
// earlier run has left on it.
class Target {
 public:
  virtual ~Target() = default;
  // `line` holds the case's fields under their own names. Fails if a field that the evaluation rests on is
  // not there or cannot be used.
  Task<Result<Generated>> generate(JsonObject line, CaseContext& context) const;
  void estimate(JsonObject line, CallEstimate& estimate) const;
  virtual std::vector<std::string> models() const = 0;
  // Whether a reply can hold this actual field at all, as far as is known beforehand.
  virtual bool may_give(std::string_view /*field*/) const { return true; }
  // Of the environment, that must be set.
  virtual std::vector<std::string> variables() const { return {}; }
  // Programs and directories that are not there (CaseWork::not_found).
  virtual std::vector<std::pair<std::string, std::string>> not_found() const { return {}; }
  // Fields that every case must have beside the declared ones.
  virtual std::vector<std::string> needed() const { return {}; }

 protected:
  explicit Target(TargetContract contract) : contract_(std::move(contract)) {}
  const TargetContract& contract() const { return contract_; }

 private:
  JsonObject visible(JsonObject line) const;
  virtual Task<Result<Generated>> send(JsonObject input, CaseContext& context) const = 0;
  virtual void count(const JsonObject& input, CallEstimate& estimate) const = 0;
  TargetContract contract_;
};

// `check`, and that a line has every field that the target needs, so that a missing one is told before
// anything is asked. `target` may be null.
LineCheck with_needed_fields(LineCheck check, const Target* target);

// From `target` of the config; null after problems.
std::unique_ptr<Target> make_target(const Config& config, TargetContract contract,
                                    std::vector<ConfigProblem>& problems);

}  // namespace assay::components
