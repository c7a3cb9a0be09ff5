// Items, personas, answers and records of the persona evaluation, and the queries of its service: foreign
// bytes are refused in words or read, never more.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "core/text.h"
#include "evaluations/persona/answer.h"
#include "evaluations/persona/request.h"
#include "models/structured/answer_text.h"
#include "service/data/evaluation_records.h"
#include "service/data/job_request.h"
#include "service/http/exchange.h"

namespace {

class Silent final : public assay::Responder {
 public:
  void send(int, assay::Headers, std::string) override {}
  void begin_stream(int, assay::Headers) override {}
  void write(std::string) override {}
  void end_stream() override {}
  void when_sent(std::function<void()>) override {}
  bool open() const override { return false; }
  void drop() override {}
  void send_truncated(int, assay::Headers, std::string, std::size_t) override {}
  void after(std::chrono::nanoseconds, std::function<void()>) override {}
};

void check_texts(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    if (text.empty() || !assay::valid_utf8(text)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay::persona;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::vector<Question> questions = {{"i", "c", "p", "x"}, {"i", "d", "p", std::nullopt}};
  for (const Mode mode : {Mode::mode1, Mode::mode2, Mode::mode3}) {
    assay::AnswerReading read = assay::read_answer({.message = {.text = text}}, {});
    check_texts(read.defects);
    if (!read.defects.empty()) break;
    const CheckedAnswer checked = check_answer(mode, questions, as_result_items(std::move(read.value)));
    check_texts(checked.defects);
    if (checked.defects.empty() && checked.verdicts.size() != questions.size()) std::abort();
  }
  assay::ServerRequest request;
  request.query = text;
  assay::Exchange exchange(request, std::make_shared<Silent>());
  (void)exchange.text("tag");
  (void)exchange.whole("page", 1, 10);
  (void)exchange.number("lastNHours", 0, 100);
  (void)exchange.flag("async");

  const auto json = assay::parse_json(text);
  if (!json) return 0;
  check_texts(item_problems(*json));
  if (item_problems(*json).empty())
    (void)request_of(Mode::mode2, {"p", "P", {}}, {{"q", "Q", "?"}}, read_item(*json));
  (void)read_persona(*json);
  (void)read_perspective(*json);
  std::vector<assay::FieldError> errors;
  (void)assay::read_result(*json, errors);
  (void)assay::read_failure(*json, errors);
  (void)assay::read_job_parameters(*json, "mode2", assay::JobSource::request, errors);
  return 0;
}
