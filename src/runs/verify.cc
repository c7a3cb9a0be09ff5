#include "runs/verify.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/file.h"
#include "core/sha256.h"
#include "core/yaml.h"
#include "evaluations/registry.h"
#include "runs/directory.h"
#include "runs/seal.h"
#include "store/run_store.h"

namespace assay {
namespace {

// Files against the seal.
Status check_files(const std::string& directory, const std::string& expected_seal, RunVerdict& verdict) {
  auto sealed = check_seal(directory);
  if (!sealed) return fail(std::move(sealed.error()));
  const bool finished = file_exists(directory + "/summary.json");
  if (!sealed->sealed) {
    // A run that is under way, or was interrupted, has no results yet, and nothing to seal.
    verdict.checks.push_back(
        {"seal", !finished && expected_seal.empty(),
         finished
             ? fmt::format("there are results but no {}: it was removed, or the run was killed before it was "
                           "written; `assay resume {}` writes results and seal anew from the journal",
                           kSealFile, directory)
             : fmt::format("none yet: the run is not finished; go on with: assay resume {}", directory)});
    return {};
  }
  verdict.seal = sealed->seal;
  verdict.notes = sealed->history.accepted;
  for (const SealDefect& defect : sealed->defects) verdict.checks.push_back({"files", false, defect.words()});
  if (sealed->defects.empty())
    verdict.checks.push_back({"files", true, fmt::format("{} files are as they were sealed", sealed->files)});
  if (expected_seal.empty()) return {};
  const auto& earlier = sealed->history.earlier;
  const bool gone_on = std::ranges::find(earlier, expected_seal) != earlier.end();
  verdict.checks.push_back(
      {"seal", sealed->seal == expected_seal,
       sealed->seal == expected_seal ? "is the one that was kept"
       : gone_on                     ? fmt::format(
                       "the run says that it was gone on with since that seal; it is {} now, which only who "
                                           "kept it can vouch for",
                       sealed->seal)
                 : fmt::format("found {}, expected {}: the run was changed and sealed again", sealed->seal,
                               expected_seal)});
  return {};
}

void check_the_journal(const std::string& directory, RunVerdict& verdict) {
  if (!RunStore::holds_run(directory)) return;
  auto report = check_journal(directory);
  if (!report) {
    verdict.checks.push_back({"journal", false, report.error().message});
    return;
  }
  const bool good = report->defect.empty();
  verdict.checks.push_back(
      {"journal", good,
       !good ? report->defect
       : report->kept_in.empty()
           ? fmt::format("{} answers and {} outcomes in {} commits fit their chain, which ends with {}",
                         report->effects, report->outcomes, report->commits, hex(report->head).substr(0, 16))
           : fmt::format("{} answers and {} outcomes are as they were put into {}", report->effects,
                         report->outcomes, report->kept_in)});
  if (!report->notes.empty()) verdict.notes = std::move(report->notes);
}

// Which evaluation it was, by its config.
const EvaluationKind* kind_of(const std::string& directory) {
  auto text = read_file(directory + "/config.yaml");
  if (!text) return nullptr;
  auto config = parse_yaml(*text);
  if (!config) return nullptr;
  return find_evaluation(text_at(config->value, "evaluation"));
}

}  // namespace

bool RunVerdict::passed() const {
  return std::ranges::all_of(checks, &RunCheck::passed);
}

Result<RunVerdict> verify_run(const std::string& directory, const std::string& expected_seal) {
  if (!directory_exists(directory)) return fail(file_error(directory, "open the run", 2));
  if (!holds_run(directory) && !file_exists(directory + "/" + kSealFile)) {
    return fail(Error{ErrorKind::usage,
                      "holds no run: there is neither run.db nor summary.json",
                      {{"directory", directory}}});
  }
  RunVerdict verdict;
  if (auto checked = check_files(directory, expected_seal, verdict); !checked)
    return fail(std::move(checked.error()));
  check_the_journal(directory, verdict);
  const EvaluationKind* kind = kind_of(directory);
  if (kind != nullptr && kind->verify != nullptr && file_exists(directory + "/summary.json")) {
    auto own = kind->verify(directory);
    if (!own) {
      verdict.checks.push_back({std::string(kind->name), false, own.error().text()});
    } else {
      std::ranges::move(*own, std::back_inserter(verdict.checks));
    }
  }
  return verdict;
}

}  // namespace assay
