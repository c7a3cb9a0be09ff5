// An experiment's files against its journal: the journal's outcomes must give the files byte for byte, and
// its raw replies, read once more, the outcomes. Nobody is asked, nothing is written.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/config/config.h"
#include "core/error.h"
#include "evaluations/experiment/design/blinding.h"
#include "evaluations/experiment/design/design.h"
#include "evaluations/experiment/judging/judgements.h"

namespace assay::experiment {

// What does not fit, a sentence each.
struct JournalDefects {
  std::vector<std::string> files;    // a file is not what the outcomes give
  std::vector<std::string> replies;  // a judgement or an answer is not what was replied
  std::size_t compared_files = 0;
  std::size_t replies_read = 0;
};

// `queries` in the order of results.jsonl. An error if the journal cannot be read.
Result<JournalDefects> held_against_journal(const std::string& directory, Config config, const Design& design,
                                            const BlindingKey& key, const std::vector<Query>& queries);

}  // namespace assay::experiment
