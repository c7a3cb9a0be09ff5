// Of which run, judge and prompts the cases were drawn that people labelled: a text in the column `drawn` of
// the labels file, so that it goes wherever the labels go. A run with labels says from it how old they are.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"
#include "evaluations/data/human_labels.h"

namespace assay {

struct LabelOrigin {
  std::string started;  // the run they were drawn from, ISO 8601
  std::string judging;  // fingerprint of who judges and how (judging_of)
  std::string prompts;  // fingerprint of the prompts' texts
};

// `config`: as the run has written it.
LabelOrigin label_origin(std::string_view evaluation, const JsonObject& config,
                         const std::map<std::string, std::string>& prompts, std::string started);

std::string to_text(const LabelOrigin& origin);  // "2026-11-18T20:14:08Z judging=… prompts=…"
std::optional<LabelOrigin> label_origin_from(std::string_view text);

// How old the labels are against the judge of this run, in a sentence for all files of the same age; where
// they differ it names the files.
std::vector<std::string> label_ages(std::span<const LabelsDrawn> files, const LabelOrigin& now);
// The same of one file's. `drawn`: what it says, "" for nothing; `labels`: what they are called.
std::string label_age(std::string_view drawn, const LabelOrigin& now, std::string_view labels = "The labels");

}  // namespace assay
