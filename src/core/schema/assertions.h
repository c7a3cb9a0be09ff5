// Keywords that judge a value by itself (type, bounds, patterns, …), as opposed to those that apply other
// schemas: their values are checked and put into the node.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/json/json.h"
#include "core/schema/registry.h"
#include "core/schema/tree.h"

namespace assay::schema {

// A keyword that is being compiled.
struct Site {
  Node& node;
  const Place& place;
  std::string_view keyword;
  const Json& value;
};

// The group of rules, made when its first keyword comes.
template <class Rules>
Rules& made(std::unique_ptr<Rules>& rules) {
  if (!rules) rules = std::make_unique<Rules>();
  return *rules;
}

class Assertions {
 public:
  // Compiled patterns go to `patterns`.
  Assertions(Problems& problems, std::deque<Pattern>& patterns) : problems_(problems), patterns_(patterns) {}

  // False if the keyword is not an assertion.
  bool compile(const Site& site);

  // "found …, expected …" as a problem of the keyword.
  void wrong(const Site& site, std::string_view expected);
  // The members of a keyword that maps names to something; empty after a problem.
  const JsonObject& members(const Site& site);
  // Null after a problem.
  const Pattern* compile_pattern(const Site& site, std::string_view text);
  // A list of texts, which is the whole value of a keyword or a part of it; none after a problem.
  std::optional<std::vector<std::string_view>> names(const Site& site, const Json& value);

 private:
  using Rule = void (Assertions::*)(const Site&);
  static const std::unordered_map<std::string_view, Rule>& rules();

  void type(const Site& site);
  void constant(const Site& site);
  void choices(const Site& site);
  void multiple_of(const Site& site);
  void bound(const Site& site);
  void count(const Site& site);
  void pattern(const Site& site);
  void format(const Site& site);
  void unique_items(const Site& site);
  void required(const Site& site);
  void dependent_required(const Site& site);

  Problems& problems_;
  std::deque<Pattern>& patterns_;
  std::unordered_map<std::string, const Pattern*> known_patterns_;
};

}  // namespace assay::schema
