#include "evaluations/data/human_labels.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <ranges>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/file.h"
#include "core/json/json.h"
#include "core/tables/csv.h"
#include "core/text.h"
#include "evaluations/data/label_file.h"

namespace assay {
namespace {

// A label with its line.
struct ReadLabel {
  std::uint64_t line = 0;
  HumanLabel label;
};

struct ReadFile {
  std::string path;
  std::string drawn;
  std::vector<ReadLabel> labels;  // one a case
  std::vector<std::string> unlabelled;
};

// Reads the rows of one file, and tells what is wrong with them.
class RowReader {
 public:
  RowReader(const LabelFiles& files, LabelFilePlace place) : files_(files), place_(std::move(place)) {}

  ReadFile read(const LabelRows& rows) const {
    ReadFile file{.path = place_.path, .drawn = {}, .labels = {}, .unlabelled = rows.unlabelled};
    std::set<std::string> seen;
    for (const LabelRow& row : rows.labelled) {
      if (file.drawn.empty()) file.drawn = row.drawn;
      HumanLabel label{row.id, number_in(row, "label", row.label).value_or(0), row.probability};
      for (const auto& [name, cell] : row.people) {
        if (const auto said = number_in(row, "by " + name, cell)) label.people.emplace(name, *said);
      }
      if (seen.insert(row.id).second) {
        file.labels.push_back({row.line, std::move(label)});
      } else {
        place_.complain(fmt::format("line {}: the case {} is labelled already", row.line, row.id));
      }
    }
    if (file.labels.empty()) place_.complain("no row has a label");
    return file;
  }

 private:
  std::optional<double> number_in(const LabelRow& row, const std::string& column,
                                  const std::string& cell) const {
    const auto value = cell_number(cell);
    if (!value) {
      place_.complain(
          fmt::format("line {}, {}: found {}, expected a number, true or false", row.line, column, cell));
      return value;
    }
    // A label off the scale would be averaged with the others, and the figure believed.
    const auto& range = files_.range;
    if (range && (*value < range->low || *value > range->high)) {
      place_.complain(fmt::format("line {}, {}: found {}, but {} lies between {} and {}", row.line, column,
                                  number_text(*value), files_.figure, number_text(range->low),
                                  number_text(range->high)));
    }
    return value;
  }

  const LabelFiles& files_;
  LabelFilePlace place_;
};

// Whose labels a file of one person has: its one column `by NAME` says it, else its name does.
std::string person_of(const ReadFile& file, const LabelFilePlace& place) {
  std::set<std::string> names;
  for (const ReadLabel& one : file.labels) {
    for (const auto& [name, said] : one.label.people) names.insert(name);
  }
  if (names.size() > 1) {
    place.complain(
        fmt::format("found columns by {}, expected the labels of one person in each of several files",
                    join(std::vector<std::string>(names.begin(), names.end()), ", by ")));
  }
  return names.empty() ? std::filesystem::path(file.path).stem().string() : *names.begin();
}

// What was told of a case first.
struct FirstTold {
  std::size_t file = 0;
  std::uint64_t line = 0;
  std::size_t place = 0;  // among the labels
};

std::vector<HumanLabel> put_together(const std::vector<ReadFile>& files, const std::string& key,
                                     std::vector<ConfigProblem>& problems) {
  std::vector<HumanLabel> labels;
  std::map<std::string, FirstTold> told;
  std::map<std::string, std::string> people;  // by name, the file of each
  bool yes_or_no = true;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const LabelFilePlace place{files[i].path, key, problems};
    const std::string person = person_of(files[i], place);
    if (const auto [other, fresh] = people.emplace(person, files[i].path); !fresh) {
      place.complain(
          fmt::format("the labels of {} stand in {} already; a column `by NAME` says whose a file is", person,
                      other->second));
    }
    for (const auto& [line, label] : files[i].labels) {
      const auto [found, fresh] = told.emplace(label.id, FirstTold{i, line, labels.size()});
      if (fresh) labels.push_back({label.id, 0, label.probability});
      HumanLabel& together = labels[found->second.place];
      if (label.probability != together.probability) {
        place.complain(fmt::format(
            "line {}, probability: found {} for the case {}, but it is {} in {}, line {}: the files are of "
            "different samples",
            line, number_text(label.probability), label.id, number_text(together.probability),
            files[found->second.file].path, found->second.line));
      }
      together.people.emplace(person, label.value);
      yes_or_no = yes_or_no && (label.value == 0 || label.value == 1);
    }
  }
  for (HumanLabel& label : labels) {
    std::vector<double> said;
    std::ranges::copy(std::views::values(label.people), std::back_inserter(said));
    label.value = said_together(said, yes_or_no ? Together::most : Together::mean);
  }
  return labels;
}

}  // namespace

double said_together(std::span<const double> values, Together how) {
  if (how == Together::mean)
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  const auto yes = std::ranges::count(values, 1.0);
  const auto no = std::ranges::count(values, 0.0);
  return yes > no ? 1 : yes < no ? 0 : 0.5;
}

std::optional<HumanLabels> read_human_labels(const Config& config, const LabelFiles& files,
                                             std::vector<ConfigProblem>& problems) {
  std::vector<ReadFile> read;
  for (const std::string& path : files.paths) {
    const LabelFilePlace place{path, files.key, problems};
    const auto rows =
        read_label_file(config.made("labels in " + path, [&] { return read_file(path); }), place);
    if (rows) read.push_back(RowReader(files, place).read(*rows));
  }
  if (read.empty()) return std::nullopt;
  HumanLabels labels;
  for (const ReadFile& file : read) labels.files.push_back({file.path, file.drawn});
  if (files.paths.size() > 1) {
    labels.labels = put_together(read, files.key, problems);
  } else {
    for (ReadLabel& one : read.front().labels) labels.labels.push_back(std::move(one.label));
  }
  for (const ReadFile& file : read) labels.unlabelled.insert(file.unlabelled.begin(), file.unlabelled.end());
  for (const HumanLabel& label : labels.labels) labels.unlabelled.erase(label.id);
  return labels;
}

}  // namespace assay
