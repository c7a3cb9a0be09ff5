// One trial of building an instance: draws what the schema leaves open, and gives up where it has drawn
// itself into a corner. See instance.h for the whole.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/json/json.h"
#include "sim/answers/instance.h"
#include "sim/answers/schema_tree.h"
#include "sim/answers/shape.h"
#include "sim/chance.h"

namespace assay::sim {

class Trial {
 public:
  struct Setting {
    double optional_share = 0.9;  // of the optional properties that are given
    bool any_type = false;        // draw the type freely instead of the one the keywords speak of
    const Suggestions* suggestions = nullptr;
  };
  // Whether a value fits one subschema, as far as that can be said of a part alone.
  using Fits = std::function<bool(const Json& subschema, const Json& value)>;

  // `values_left` is counted down with each value made, and ends the trial at 0.
  Trial(const SchemaTree& tree, const Fits& fits, Setting setting, Chance chance, std::size_t& values_left);

  // A value for all of these subschemas together.
  std::optional<Json> make(const std::vector<const Json*>& schemas);

 private:
  using Schemas = std::vector<const Json*>;

  bool deep() const;
  std::span<const std::string> words() const {
    return setting_.suggestions == nullptr ? std::span<const std::string>() : setting_.suggestions->words();
  }
  Branching branching() const { return deep() ? Branching::shallow : Branching::free; }
  std::optional<Json> fill(Shape& shape, bool with_suggestion);
  std::optional<Json> pick_allowed(const Shape& shape);
  unsigned choose_type(const Shape& shape);
  std::optional<Json> make_list(const Shape& shape);
  std::size_t choose_length(const Shape& shape, std::size_t needed);
  std::optional<Json> make_entry(const Shape& shape, const JsonArray& list, const Schemas& schemas,
                                 std::size_t index);
  std::vector<std::string> choose_keys(const Shape& shape);
  void add_dependencies(Shape& shape, std::vector<std::string>& keys);
  void add_known_or_invented(const Shape& shape, std::vector<std::string>& keys, std::size_t attempt);
  std::string invent_key(const Shape& shape);
  std::optional<Json> make_object(Shape& shape);

  const SchemaTree& tree_;
  const Fits& fits_;
  Setting setting_;
  Chance chance_;
  std::size_t& values_left_;
  std::vector<Step> path_;
};

}  // namespace assay::sim
