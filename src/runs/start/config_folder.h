// The configs that runs may be started from: YAML files below one directory. Names are paths below it;
// nothing outside can be named, be it by dots or by symbolic links. What a config holds of secrets is not
// shown. Reads files, keeps nothing.
#pragma once

#include <string>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "evaluations/registry.h"

namespace assay {

struct FoundConfig {
  std::string name;  // "support/bot.yaml"
  std::string evaluation;
  std::string what = {};
  std::string problem = {};  // why it cannot be used; "" if it can
};

struct ReadConfig {
  std::string name;
  std::string file;       // its path
  std::string text = {};  // with marks in the place of secrets
  const EvaluationKind* kind = nullptr;
  JsonObject values = {};  // by dotted name of a key, as written, with defaults; the same marks
};

class ConfigFolder {
 public:
  // The error says that there is no such directory.
  static Result<ConfigFolder> open(const std::string& directory);

  // By name; files that name no evaluation are none. At most kMost.
  std::vector<FoundConfig> list() const;
  // Kind usage if there is no such config here.
  Result<ReadConfig> read(const std::string& name) const;
  // Where a path that a change of this config's keys names leads, which lies in the directory and is there:
  // relative paths begin beside the config. The error says what is wrong with it.
  Result<std::string> real_path(const ReadConfig& config, const std::string& path) const;

 private:
  static constexpr std::size_t kMost = 2000;
  static constexpr int kDeepest = 8;

  explicit ConfigFolder(std::string directory) : directory_(std::move(directory)) {}
  Result<std::string> path_of(const std::string& name) const;

  std::string directory_;  // without symbolic links
};

}  // namespace assay
