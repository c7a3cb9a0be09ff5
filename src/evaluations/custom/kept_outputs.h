// Answers that an earlier run has kept (outputs.jsonl), by case, variant and repeat: other metrics and other
// judges can be tried on them without asking anybody for an answer again. Only their places in the file are
// held in memory. Safe to be read by several threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "core/error.h"
#include "evaluations/custom/case_record.h"

namespace assay::custom {

class KeptOutputs {
 public:
  // Fails if the file cannot be read, or a line is no answer: all of them, with their numbers.
  static Result<std::shared_ptr<const KeptOutputs>> open(const std::string& path);
  ~KeptOutputs();
  KeptOutputs(const KeptOutputs&) = delete;
  KeptOutputs& operator=(const KeptOutputs&) = delete;

  // One that is not there is a failure of the target, in words.
  Answered find(const std::string& case_id, const std::string& variant, int repeat) const;
  const std::string& path() const { return path_; }

 private:
  struct Place {
    std::uint64_t offset = 0;
    std::uint32_t size = 0;
  };
  KeptOutputs(std::string path, int file) : path_(std::move(path)), file_(file) {}

  std::string path_;
  int file_;
  std::unordered_map<std::string, Place> places_;  // by case, variant and repeat
};

}  // namespace assay::custom
