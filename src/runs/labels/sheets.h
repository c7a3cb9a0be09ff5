// The sheets of a directory: one folder each, with what was drawn (sheet.json) and what people have answered
// (answers.jsonl). They stand beside the runs, whose directories are sealed. One process has them at a time;
// inside it any number of people answer at once. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "runs/labels/given_answers.h"
#include "runs/labels/sheet.h"
#include "store/file_lock.h"

namespace assay::labels {

// How far a person is, and a task: the next one, or the one whose answer was taken back.
struct Standing {
  std::optional<JsonObject> task = {};
  std::size_t done = 0;
  std::size_t of = 0;
};

class Sheets {
 public:
  // The directory is made with its first sheet. An error if another process has it.
  static Result<std::unique_ptr<Sheets>> open(const std::string& directory);

  // Keeps a sheet that was drawn from this run; it gets its id and time here. Kind usage if another process
  // has made the directory meanwhile.
  Result<Json> add(Sheet sheet, std::string run);
  // What the page knows of a sheet, with who has answered how much. Kind usage if there is none of that id,
  // for this and all below.
  Result<Json> glance(const std::string& id);
  // Those of a run, the newest first; sheets that cannot be read are left out.
  std::vector<Json> of_run(std::string_view run);

  Result<Standing> next(const std::string& id, std::string_view person);
  // The standing afterwards, without a task, once the answer is on the disk. The same answer again changes
  // nothing. Kind data, with the field in the context, if the answer is none.
  Result<Standing> answer(const std::string& id, std::string_view person, std::string_view key,
                          const Json& value, std::string_view comment);
  // Takes back the person's last answer; without one, nothing changes and there is no task.
  Result<Standing> undo(const std::string& id, std::string_view person);

  struct Contents {
    std::shared_ptr<const Sheet> sheet;
    GivenAnswers answers;
  };
  Result<Contents> contents(const std::string& id);

 private:
  struct Open;
  explicit Sheets(std::string directory) : directory_(std::move(directory)) {}
  Status take_directory();  // with mutex_
  Result<std::shared_ptr<Open>> find(const std::string& id);

  std::string directory_;
  std::mutex mutex_;
  std::optional<FileLock> lock_;  // none as long as there is no directory
  // Of those that nobody uses, only the last ones are kept open.
  static constexpr std::size_t kMostOpen = 32;
  struct Slot {
    std::string run = {};             // once it was read
    std::shared_ptr<Open> open = {};  // null: not read yet, or not of late
    std::uint64_t used = 0;           // when, by clock_
  };
  void close_unused();  // with mutex_
  std::uint64_t clock_ = 0;
  std::map<std::string, Slot> sheets_;  // by id
};

}  // namespace assay::labels
