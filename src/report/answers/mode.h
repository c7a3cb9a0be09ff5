// The questions that may be asked of a table ("do the raters agree?"), and their answers as values: JSON for
// machines and text for people. Nothing here prints, opens a file or knows a terminal, so that the command,
// the service and a test ask alike.
//
// A mode is one question with keys of its own, declared in the file of its name; ASSAY_MODES lists them. What
// the command accepts, its help, and the reference in docs/stats.md are made from that list.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/config.h"
#include "core/error.h"
#include "core/json/json.h"
#include "core/tables/data_table.h"

namespace assay::answers {

struct Answer {
  Json json;         // every figure by name; undefined is null, and says why
  std::string text;  // the same for people, whole lines
};

enum class Input { table, none };

struct Mode {
  std::string_view name;    // "groups"
  std::string_view title;   // "do groups differ"
  std::string_view needed;  // the flags that it cannot do without: "--value COLUMN --group COLUMN"
  Input input = Input::table;
  // Any of these keys asks this question where no mode is named; empty: it must be named.
  std::vector<std::string_view> asked_by;
  Keys keys;
  // The config was resolved with `keys`; a mode without input ignores the table. An error is of the kind
  // `usage` (what was asked makes no sense) or `data` (every problem of the table at once, with its lines).
  Result<Answer> (*answer)(const DataTable& table, const Config& config);
};

// In the order of help and docs.
std::span<const Mode> modes();
// Null if there is none of that name.
const Mode* find_mode(std::string_view name);

// One line a mode: MODE(x) is made by x_mode() in x.cc.
#define ASSAY_MODES(MODE) \
  MODE(groups)            \
  MODE(raters)            \
  MODE(intraclass)        \
  MODE(kendall_w)         \
  MODE(label_sets)        \
  MODE(alt_test)          \
  MODE(winners)           \
  MODE(pass_at_k)         \
  MODE(sequence)          \
  MODE(power)

#define ASSAY_DECLARE_MODE(name) Mode name##_mode();
ASSAY_MODES(ASSAY_DECLARE_MODE)
#undef ASSAY_DECLARE_MODE

}  // namespace assay::answers
