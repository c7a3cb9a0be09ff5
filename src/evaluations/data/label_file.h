// A file of people's labels: CSV with the columns `id` and `label`; `probability`, where cases were not drawn
// alike; `drawn`, of which run and judge they
// were drawn (label_origin.h); and `by NAME` for what each of several people said. A row with an empty label
// is not labelled yet. What a label may be is for the reader of the rows to say.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/config/config.h"
#include "core/error.h"

namespace assay {

struct LabelRow {
  std::uint64_t line = 0;
  std::string id;
  std::string label;  // as it stands there
  double probability = 1;
  std::string drawn = {};
  std::map<std::string, std::string> people = {};  // by name; as it stands there, without who said nothing
};

struct LabelRows {
  std::vector<LabelRow> labelled;
  std::vector<std::string> unlabelled;  // ids of rows that nobody has labelled
};

// Where problems of the file go.
struct LabelFilePlace {
  std::string path;
  std::string key;  // of the config, that names it
  std::vector<ConfigProblem>& problems;

  void complain(std::string what) const { problems.push_back({path, key, std::move(what)}); }
};

// Nothing if there is no such file or it has no such columns; single cells that are wrong are problems, too.
// `text`: what stands in it.
std::optional<LabelRows> read_label_file(const Result<std::string>& text, const LabelFilePlace& place);

}  // namespace assay
