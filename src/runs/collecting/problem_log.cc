#include "runs/collecting/problem_log.h"

#include <fmt/format.h>
#include <unistd.h>

#include "core/file.h"
#include "core/text.h"
#include "core/visible.h"

namespace assay {
namespace {

std::string stopped_file(const std::string& directory) {
  return fmt::format("{}/{}", directory, kStoppedFile);
}

}  // namespace

std::string problem_line(const Problem& problem) {
  // One line each: an id or a reply must not look like a problem of its own.
  return fmt::format("{}: {}{}{}\n", problem.severity, visible(problem.where),
                     problem.where.empty() ? "" : ": ", visible(problem.text));
}

// "error: case c7: the judge gave no usable answer"; where the problem is, if it says so, ends with the first
// colon that a space follows.
Problem read_problem(std::string_view line) {
  Problem problem;
  const auto take = [&line](std::string& into) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos) return;
    into = line.substr(0, colon);
    line.remove_prefix(colon + 2);
  };
  take(problem.severity);
  take(problem.where);
  problem.text = line;
  return problem;
}

void keep_why_stopped(const std::string& directory, const RunResult& result) {
  const bool interrupted = result.end == RunEnd::interrupted;
  const std::string why = interrupted     ? "interrupted; every answer so far is kept"
                          : result.reason ? result.reason->text()
                                          : "stopped for a reason that is not known";
  (void)write_file(stopped_file(directory), problem_line({interrupted ? "warning" : "error", "run", why}));
}

void forget_why_stopped(const std::string& directory) {
  ::unlink(stopped_file(directory).c_str());
}

std::optional<Problem> why_stopped(const std::string& directory) {
  const auto text = read_file(stopped_file(directory));
  if (!text || text->empty()) return std::nullopt;
  return read_problem(trim(*text));
}

}  // namespace assay
