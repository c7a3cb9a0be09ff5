#include "evaluations/custom/kept_outputs.h"

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "core/json/jsonl.h"
#include "core/text.h"
#include "evaluations/jsonl_cases.h"

namespace assay::custom {
namespace {

constexpr std::size_t kMostTold = 20;

std::string key_of(const std::string& case_id, const std::string& variant, std::int64_t repeat) {
  return fmt::format("{}\n{}\n{}", case_id, variant, repeat);
}

// What is wrong with a row, in words; "" if it is an answer.
std::string problem_of(const Result<Json>& line) {
  if (!line) return line.error().text();
  if (text_of_id(*line, "id").empty()) return "field id: missing";
  const Json* repeat = find_member(*line, "repeat");
  if (repeat == nullptr || as_integer(*repeat).value_or(0) < 1)
    return "field repeat: expected a number from 1";
  if (find_member(*line, "output") == nullptr && find_member(*line, "error") == nullptr)
    return "has neither output nor error";
  return "";
}

}  // namespace

Result<std::shared_ptr<const KeptOutputs>> KeptOutputs::open(const std::string& path) {
  auto reader = LineReader::open(path);
  if (!reader) return fail(std::move(reader.error()));
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return fail(Error{ErrorKind::io, std::strerror(errno), {{"file", path}}});
  std::shared_ptr<KeptOutputs> kept(new KeptOutputs(path, file));
  std::vector<std::string> problems;
  for (;;) {
    auto line = reader->next();
    if (!line) return fail(std::move(line.error()));
    if (!*line) break;
    const auto tree = parse_json((*line)->text);
    if (const std::string wrong = problem_of(tree); !wrong.empty()) {
      if (problems.size() < kMostTold) problems.push_back(fmt::format("line {}: {}", (*line)->number, wrong));
      continue;
    }
    const std::int64_t repeat = as_integer(*find_member(*tree, "repeat")).value_or(1);
    kept->places_.insert_or_assign(
        key_of(text_of_id(*tree, "id"), text_at(*tree, "variant"), repeat),
        Place{reader->place().offset, static_cast<std::uint32_t>((*line)->text.size())});
  }
  if (!problems.empty()) return fail(Error{ErrorKind::data, join(problems, "; "), {{"file", path}}});
  return std::shared_ptr<const KeptOutputs>(std::move(kept));
}

KeptOutputs::~KeptOutputs() {
  ::close(file_);
}

Answered KeptOutputs::find(const std::string& case_id, const std::string& variant, int repeat) const {
  const auto failed = [&](std::string why) {
    return answered(fail(Error{ErrorKind::target, std::move(why), {{"file", path_}}}));
  };
  const auto place = places_.find(key_of(case_id, variant, repeat));
  if (place == places_.end()) return failed("holds no answer to this case");
  std::string text(place->second.size, '\0');
  std::size_t read = 0;
  while (read < text.size()) {
    const auto more = ::pread(file_, text.data() + read, text.size() - read,
                              static_cast<off_t>(place->second.offset + read));
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) return failed("has changed while it was read");
    read += static_cast<std::size_t>(more);
  }
  const auto line = parse_json(text);
  if (!line || !line->is_object()) return failed("has changed while it was read");
  return answer_in(*line);
}

}  // namespace assay::custom
