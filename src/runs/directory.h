// The directory of a run: new or empty when the run begins, so that a run never touches a file that it did
// not make.
#pragma once

#include <string>

#include "core/error.h"

namespace assay {

// A directory that is made for a run, and goes again where the run comes to nothing.
class NewDirectory {
 public:
  static Result<NewDirectory> make(const std::string& path);
  // The config that was written first, and the directory if it was made for it.
  void take_back() const;
  // Nothing was written but the lock.
  void leave() const;

 private:
  std::string path_;
  bool existed_ = false;
  bool was_empty_ = true;
};

// Whether a run is there, with a journal or results.
bool holds_run(const std::string& directory);
// Whether a run began here, and may have been killed before it had either.
bool was_begun(const std::string& directory);

Error holds_run_already(const std::string& directory);

// Files that the evaluation may find there before its first sitting (see Evaluation::goes_on).
enum class OwnFiles { none, yaml };

// That a run may begin here: the directory is not there, is empty, or holds nothing but what a run that was
// killed before it had a journal has left. The error, kind usage, says what is in the way and how to go on.
// `copied_data`: the name of a file that was put there for the run; "" for none.
Status check_free(const std::string& directory, OwnFiles own, const std::string& copied_data = "");

}  // namespace assay
