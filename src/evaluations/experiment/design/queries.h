// The queries of an experiment: a list in YAML or JSON, or records (JSONL, CSV, TSV). They are few and short,
// so all are read at once; each problem is told with its place, and a good query does not suffer from a bad
// one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/problem.h"
#include "engine/work.h"
#include "evaluations/data/data_file.h"
#include "evaluations/experiment/judging/judgements.h"

namespace assay::experiment {

struct QueryEntry {
  std::int64_t index = 0;  // in the file, from 0
  std::uint64_t line = 0;
  Query query;
};

struct QueryList {
  std::string path;
  std::vector<QueryEntry> entries;  // the good ones
  std::vector<Problem> problems;
  std::int64_t total = 0;
  std::int64_t invalid = 0;
  bool chosen = false;  // some of those that the file has
};

// Fails if the file cannot be read at all or is no list.
Result<QueryList> read_queries(const DataFile& data);
// The same for machines that do not have the file.
std::string queries_text(const QueryList& list);
QueryList queries_in(const std::string& text, const std::string& path);
// The same of a text; `path` decides the form (.jsonl: one a line) and stands in messages.
Result<QueryList> parse_queries(const std::string& text, const std::string& path);

// The query is the case's payload. `list` must outlive the source.
std::unique_ptr<CaseSource> open_queries(const QueryList& list);
// The query that a case of such a source is.
Query query_of(const Case& input);

}  // namespace assay::experiment
