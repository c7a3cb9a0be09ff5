// `${NAME}` in the texts of a config, filled from the environment when the config is read. `$${NAME}` stands
// for these characters without the first. A name is letters, digits and _, not a digit first; anything else
// behind a dollar sign stays.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/environment.h"
#include "core/json/json.h"

namespace assay {

class ConfigVariables {
 public:
  // Without an environment nothing is filled.
  explicit ConfigVariables(Environment environment = {}) : environment_(std::move(environment)) {}

  struct Filled {
    Json value;
    bool changed = false;              // something was filled
    std::vector<std::string> missing;  // variables that are not set, each once
  };
  // Every text in the value, at any depth; names of members stay.
  Filled fill(const Json& value);

  // What was filled so far, by name.
  const std::map<std::string, std::string>& used() const { return used_; }

 private:
  std::string fill_text(std::string_view text, Filled& filled);
  Json fill_tree(const Json& value, Filled& filled);

  Environment environment_;
  std::map<std::string, std::string> used_;
};

// The names that a text uses.
std::vector<std::string> variables_in(std::string_view text);

// The same of what is filled later by core/environment.h, whose rules are simpler: of one text, or of the
// values of headers and variables.
std::vector<std::string> environment_names(std::string_view text);
std::vector<std::string> environment_names(const std::vector<std::pair<std::string, std::string>>& values);

// `values` with a fingerprint in the place of every text whose written form uses a variable with a telling
// name (core/secrets/literal_secrets.h): equal if the secret is, and not the secret.
Json fingerprinted(const Json& values, const Json& written);

}  // namespace assay
