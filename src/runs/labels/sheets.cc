#include "runs/labels/sheets.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/file.h"
#include "core/ids.h"
#include "core/text.h"
#include "core/time.h"
#include "runs/labels/answer_file.h"

namespace assay::labels {
namespace {

constexpr std::size_t kMostPeople = 500;       // on one sheet
constexpr std::size_t kLongestComment = 4000;  // in bytes

std::string now_text() {
  return iso_time(std::chrono::system_clock::now());
}

std::unexpected<Error> wrong(std::string_view field, std::string message) {
  return fail(Error{ErrorKind::data, std::move(message), {}}.with("field", std::string(field)));
}

Json glance_of(const Sheet& sheet, const GivenAnswers& answers) {
  JsonArray people;
  for (const Person& person : answers.people())
    people.push_back(JsonObject{{"name", person.name}, {"done", person.given.size()}});
  const auto texts = [](const std::vector<std::string>& list) {
    JsonArray array;
    for (const std::string& text : list) array.emplace_back(text);
    return array;
  };
  JsonObject json{{"id", sheet.id},       {"run", sheet.run},           {"kind", to_string(sheet.kind)},
                  {"title", sheet.title}, {"question", sheet.question}, {"rules", sheet.rules}};
  json.emplace("figure", sheet.figure.empty() ? Json(nullptr) : Json(boost::json::string(sheet.figure)));
  json.emplace("scale", sheet.scale ? Json(JsonArray{sheet.scale->low, sheet.scale->high}) : Json(nullptr));
  json.emplace("levels", texts(sheet.levels));
  json.emplace("labels", texts(sheet.labels));
  json.emplace("of", sheet.tasks.size());
  json.emplace("people", std::move(people));
  json.emplace("created", sheet.created);
  return json;
}

}  // namespace

struct Sheets::Open {
  std::shared_ptr<const Sheet> sheet;
  AnswerFile file;
  std::mutex mutex = {};
  GivenAnswers answers = {};  // guarded by mutex, as the file is

  static Result<std::shared_ptr<Open>> open(const std::string& directory);

  // Writes the line first: what is counted is on the disk.
  Status keep(const Json& line) {
    if (auto appended = file.append(line); !appended) return appended;
    return answers.add(*sheet, line);
  }
  Standing standing(std::string_view person) const {
    return {.done = answers.done(person), .of = sheet->tasks.size()};
  }
};

Result<std::shared_ptr<Sheets::Open>> Sheets::Open::open(const std::string& directory) {
  const std::string file = directory + "/sheet.json";
  auto text = read_file(file);
  if (!text) return fail(std::move(text.error()));
  auto tree = parse_json(*text);
  if (!tree) return fail(std::move(tree.error()).with("file", file));
  auto sheet = sheet_from_json(*tree);
  if (!sheet) return fail(std::move(sheet.error()).with("file", file));
  auto opened = AnswerFile::open(directory + "/answers.jsonl");
  if (!opened) return fail(std::move(opened.error()));
  auto open =
      std::make_shared<Open>(std::make_shared<const Sheet>(std::move(*sheet)), std::move(opened->file));
  for (const Json& line : opened->lines) {
    if (auto added = open->answers.add(*open->sheet, line); !added)
      return fail(std::move(added.error()).with("file", directory + "/answers.jsonl"));
  }
  return open;
}

Status Sheets::take_directory() {
  if (lock_) return {};
  if (auto made = make_directories(directory_); !made) return made;
  auto lock = FileLock::take(directory_ + "/lock",
                             Error{ErrorKind::usage,
                                   "another service has these labels; give this one --labels DIR of its own",
                                   {{"directory", directory_}}});
  if (!lock) return fail(std::move(lock.error()));
  lock_.emplace(std::move(*lock));
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory_, error)) {
    if (entry.is_directory() && file_exists(entry.path().string() + "/sheet.json"))
      sheets_.try_emplace(entry.path().filename().string());
  }
  if (error) return fail(file_error(directory_, "read", error.value()));
  return {};
}

Result<std::unique_ptr<Sheets>> Sheets::open(const std::string& directory) {
  std::unique_ptr<Sheets> sheets(new Sheets(directory));
  if (!directory_exists(directory)) return sheets;
  const std::lock_guard guard(sheets->mutex_);
  if (auto taken = sheets->take_directory(); !taken) return fail(std::move(taken.error()));
  return sheets;
}

Result<std::shared_ptr<Sheets::Open>> Sheets::find(const std::string& id) {
  const std::lock_guard guard(mutex_);
  const auto found = sheets_.find(id);
  if (found == sheets_.end())
    return fail(ErrorKind::usage, fmt::format("there is no sheet {}", repair_utf8(shorten(id, 100))));
  Slot& slot = found->second;
  slot.used = ++clock_;
  if (!slot.open) {
    auto open = Open::open(directory_ + "/" + id);
    if (!open) return fail(std::move(open.error()));
    slot.open = std::move(*open);
    slot.run = slot.open->sheet->run;
    close_unused();
  }
  return slot.open;
}

// Who uses a sheet holds it, and comes by it with mutex_ only. What was answered is on the disk.
void Sheets::close_unused() {
  std::vector<Slot*> idle;
  for (auto& [id, slot] : sheets_) {
    if (slot.open && slot.open.use_count() == 1) idle.push_back(&slot);
  }
  if (idle.size() <= kMostOpen) return;
  std::ranges::sort(idle, std::greater(), &Slot::used);
  for (std::size_t i = kMostOpen; i < idle.size(); ++i) idle[i]->open = nullptr;
}

Result<Json> Sheets::add(Sheet sheet, std::string run) {
  sheet.id = make_run_id(std::chrono::system_clock::now());
  sheet.run = std::move(run);
  sheet.created = now_text();
  {
    const std::lock_guard guard(mutex_);
    if (auto taken = take_directory(); !taken) return fail(std::move(taken.error()));
  }
  const std::string directory = directory_ + "/" + sheet.id;
  if (auto made = make_directories(directory); !made) return fail(std::move(made.error()));
  if (auto written = write_file(directory + "/sheet.json", to_text(to_json(sheet))); !written)
    return fail(std::move(written.error()));
  {
    const std::lock_guard guard(mutex_);
    sheets_.try_emplace(sheet.id);
  }
  return glance(sheet.id);
}

Result<Json> Sheets::glance(const std::string& id) {
  auto open = find(id);
  if (!open) return fail(std::move(open.error()));
  const std::lock_guard guard((*open)->mutex);
  return glance_of(*(*open)->sheet, (*open)->answers);
}

std::vector<Json> Sheets::of_run(std::string_view run) {
  std::vector<std::string> ids;
  {
    const std::lock_guard guard(mutex_);
    for (const auto& [id, slot] : sheets_) {
      if (slot.run.empty() || slot.run == run) ids.push_back(id);
    }
  }
  std::vector<Json> found;
  // Ids begin with their time.
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
    auto one = glance(*id);
    if (one && text_at(*one, "run") == run) found.push_back(std::move(*one));
  }
  return found;
}

Result<Standing> Sheets::next(const std::string& id, std::string_view name) {
  auto open = find(id);
  if (!open) return fail(std::move(open.error()));
  const auto person = checked_person(name);
  if (!person) return wrong("person", person.error().message);
  const std::lock_guard guard((*open)->mutex);
  Standing standing = (*open)->standing(*person);
  if (const auto task = next_task(*(*open)->sheet, (*open)->answers, *person))
    standing.task = shown_task(*(*open)->sheet, *person, *task, standing.done + 1);
  return standing;
}

Result<Standing> Sheets::answer(const std::string& id, std::string_view name, std::string_view key,
                                const Json& value, std::string_view comment) {
  auto open = find(id);
  if (!open) return fail(std::move(open.error()));
  const Sheet& sheet = *(*open)->sheet;
  const auto person = checked_person(name);
  if (!person) return wrong("/person", person.error().message);
  const auto task = task_of_key(sheet, key);
  if (!task) return wrong("/key", "the sheet has no such task");
  auto checked = checked_answer(sheet, value);
  if (!checked) return wrong("/value", checked.error().message);
  if (comment.size() > kLongestComment)
    return wrong("/comment", fmt::format("expected at most {} bytes", kLongestComment));
  const GivenAnswer given{*task, std::move(*checked), std::string(comment),
                          sheet.kind != SheetKind::pair || first_is_a(sheet, *person, *task)};
  const std::lock_guard guard((*open)->mutex);
  const Person* known = (*open)->answers.find(*person);
  if (known == nullptr && (*open)->answers.people().size() >= kMostPeople)
    return wrong("/person", fmt::format("{} people have answered already; make another sheet", kMostPeople));
  const GivenAnswer* earlier = known == nullptr ? nullptr : known->answer_to(*task);
  if (earlier == nullptr || *earlier != given) {
    if (auto kept = (*open)->keep(answer_line(sheet, *person, given, now_text())); !kept)
      return fail(std::move(kept.error()));
  }
  return (*open)->standing(*person);
}

Result<Standing> Sheets::undo(const std::string& id, std::string_view name) {
  auto open = find(id);
  if (!open) return fail(std::move(open.error()));
  const auto person = checked_person(name);
  if (!person) return wrong("/person", person.error().message);
  const std::lock_guard guard((*open)->mutex);
  const Person* known = (*open)->answers.find(*person);
  if (known == nullptr || known->given.empty()) return (*open)->standing(*person);
  const std::size_t task = known->given.back().task;
  if (auto kept = (*open)->keep(undo_line(*person, task, now_text())); !kept)
    return fail(std::move(kept.error()));
  Standing standing = (*open)->standing(*person);
  standing.task = shown_task(*(*open)->sheet, *person, task, standing.done + 1);
  return standing;
}

Result<Sheets::Contents> Sheets::contents(const std::string& id) {
  auto open = find(id);
  if (!open) return fail(std::move(open.error()));
  const std::lock_guard guard((*open)->mutex);
  return Contents{(*open)->sheet, (*open)->answers};
}

}  // namespace assay::labels
