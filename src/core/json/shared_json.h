// A JSON value that many hold at once: immutable, cheap to copy, and its canonical text is written once. For
// what goes with every request, such as an output schema.
#pragma once

#include <memory>
#include <string>

#include "core/json/json.h"

namespace assay {

class SharedJson {
 public:
  SharedJson() : SharedJson(Json()) {}
  SharedJson(Json value);  // NOLINT(google-explicit-constructor): stands wherever a Json does

  const Json& value() const;
  operator const Json&() const { return value(); }  // NOLINT(google-explicit-constructor)
  // canonical_text(value()). Thread-safe.
  const std::string& canonical() const;
  // The very same value, not one that is equal.
  bool is(const SharedJson& other) const { return held_ == other.held_; }
  bool operator==(const SharedJson& other) const { return held_ == other.held_ || value() == other.value(); }

 private:
  struct Held;
  std::shared_ptr<Held> held_;
};

}  // namespace assay
