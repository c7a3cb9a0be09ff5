// A valid, plausible instance of any JSON schema (draft 2020-12). The schema is walked and a value built that
// meets its keywords by construction where that is possible and by trial where it is not (oneOf, not, if,
// pattern, …); whatever is given has passed core/schema's validator. Which instance it is depends on nothing
// but the schema, the key of the chance and the suggestions.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "sim/answers/shape.h"
#include "sim/chance.h"

namespace assay::sim {

// One step from an instance's root towards a value: a property, or an entry of a list.
struct Step {
  std::string_view key;   // empty: an entry
  std::size_t index = 0;  // of an entry
};

// Where in the instance a value is about to be made.
struct Place {
  std::span<const Step> path;
  const Shape& shape;
  // The nearest property name: for the entries of `claims`, "claims". Empty at the root.
  std::string_view name() const;
};

// What fills the schema with sense; see judge.h. A suggestion that does not fit the schema is passed over.
class Suggestions {
 public:
  virtual ~Suggestions() = default;
  virtual std::optional<std::size_t> length(const Place& list) const = 0;
  virtual std::optional<Json> value(const Place& place) const = 0;
  // What prose is made of.
  virtual std::span<const std::string> words() const = 0;
};

class InstanceMaker {
 public:
  // Errors: those of Schema::compile.
  static Result<std::shared_ptr<const InstanceMaker>> prepare(const Json& schema);
  ~InstanceMaker();

  // Thread-safe. Error of kind schema: no valid instance was found, with the defects of the last trial. That
  // can mean that none exists.
  Result<Json> make(const Chance& chance, const Suggestions* suggestions = nullptr) const;
  bool valid(const Json& instance) const;
  const Json& schema() const;

 private:
  class State;
  explicit InstanceMaker(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Prepared schemas, kept by content: a benchmark sends the same one with every request. Thread-safe, bounded.
class InstanceMakers {
 public:
  InstanceMakers();
  ~InstanceMakers();
  Result<std::shared_ptr<const InstanceMaker>> get(const Json& schema);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace assay::sim
