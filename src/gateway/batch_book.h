// What a run keeps of its batches, so that a killed one finds them again and pays nothing twice. Of each
// batch it is durable, before anything is sent, that it is going to be made, under which mark and with which
// requests; and, before anything else happens, under which id the provider has it. So at any moment a batch
// is either known by its id, or found at the provider by its mark, or was never made.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/task.h"

namespace assay {

struct BatchIntent {
  std::string mark;                // unique; the provider is told it
  std::string newest;              // the provider's newest batch before it; empty: there was none
  std::vector<std::string> items;  // what its requests are known by (batch_item)
};

struct KeptBatch {
  BatchIntent intent;
  std::string id = {};  // at the provider; empty: not known
};

class BatchBook {
 public:
  virtual ~BatchBook() = default;
  // Both are done when it is durable.
  virtual Task<Status> intend(BatchIntent intent) = 0;
  virtual Task<Status> made(std::string mark, std::string id) = 0;
};

// What one request is known by, in every sitting of its run: where it is asked, and with which body. Letters
// and digits, 40 of them.
std::string batch_item(std::int64_t case_index, std::string_view step, int attempt, std::string_view body);
// A mark that no other batch has.
std::string new_batch_mark();

}  // namespace assay
