// conversations.html: each conversation with its messages, and beside them the segments and rationales that
// rest on them; before them a map of conversations by guidelines. Streamed: one conversation in memory at a
// time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "evaluations/guidelines/conversation.h"
#include "evaluations/guidelines/verdict.h"
#include "evaluations/output_files.h"

namespace assay::guidelines {

class ConversationPage {
 public:
  explicit ConversationPage(OutputFiles& files);
  void add(const std::string& id, const Conversation& conversation, const std::vector<Verdict>& verdicts);
  // The map, once all conversations are there.
  void finish();

 private:
  struct Row {
    std::string id;
    std::map<std::string, char> cells;  // by guideline: y, n, u (undetermined), s (skipped)
  };
  std::string map() const;

  OutputFiles& files_;
  std::vector<Row> rows_;  // the first few hundred
  std::vector<std::string> guidelines_;
  std::size_t conversations_ = 0;
};

}  // namespace assay::guidelines
