// conversations.html: each conversation with its messages, and beside them the segments and rationales that
// rest on them; the expected verdict beside the judge's; an index and a map of conversations by guidelines
// that come first on the page, a choice of which conversations are shown, and the way back to the report.
// Streamed: one conversation in memory at a time, so that index and map stand last in the file.
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
  // Index and map, once all conversations are there.
  void finish();

 private:
  struct Cell {
    char letter = 's';   // y, n, u (undetermined), s (skipped)
    bool wrong = false;  // not what was expected
  };
  struct Row {
    std::string id;
    std::string classes;                // which choices show it
    std::map<std::string, Cell> cells;  // by guideline
    std::size_t count(char letter) const;
    std::size_t wrong() const;
  };
  static Row row_of(const std::string& id, const Conversation& conversation,
                    const std::vector<Verdict>& verdicts);
  std::string index() const;
  std::string map() const;

  OutputFiles& files_;
  std::vector<Row> rows_;  // the first few hundred
  std::vector<std::string> guidelines_;
  std::size_t conversations_ = 0;
  bool any_expected_ = false;
};

}  // namespace assay::guidelines
