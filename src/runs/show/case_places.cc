#include "runs/show/case_places.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "runs/show/listed_cases.h"
#include "runs/show/opened_run.h"
#include "runs/show/run_version.h"
#include "runs/show/whole_case.h"

namespace assay {
namespace {

std::uint64_t hash_of(std::string_view id) {
  return std::hash<std::string_view>()(id);
}

template <class Entry, class Place>
std::vector<Place> places_of(const std::vector<Entry>& entries, std::string_view id) {
  std::vector<Place> places;
  for (const Entry& one : std::ranges::equal_range(entries, hash_of(id), {}, &Entry::hash))
    places.push_back(one.place);
  return places;
}

}  // namespace

Result<std::shared_ptr<const CasePlaces>> CasePlaces::read(const std::string& directory,
                                                           HashedFiles* hashes) {
  auto places = std::make_shared<CasePlaces>();
  places->directory_ = directory;
  const RunVersion version = run_version(directory);
  if (!version.settled || !has_results(directory))
    return fail(ErrorKind::usage, "the run is not finished, or only just");
  places->version_ = version.text;
  auto run = OpenedRun::open(directory, OpenedRun::Data::unknown, hashes);
  if (!run) return fail(std::move(run.error()));
  if ((*run)->evaluation != nullptr) {
    if ((*run)->evaluation->goes_on()) return fail(ErrorKind::usage, "its cases have no fixed places");
    places->data_path_ = (*run)->evaluation->data_path();
    places->data_version_ = file_version(places->data_path_);
    auto source = (*run)->evaluation->chosen_cases();
    if (!source) return fail(std::move(source.error()));
    for (;;) {
      auto more = (*source)->next();
      (*source)->take_problems();
      if (!more) return fail(std::move(more.error()));
      if (!*more) break;
      places->in_data_.push_back({hash_of((*source)->current().id), (*source)->place()});
    }
  }
  auto reader = LineReader::open(directory + "/results.jsonl");
  if (!reader) return fail(std::move(reader.error()));
  LineParser parser({"id"});
  for (;;) {
    auto line = reader->next();
    if (!line) return fail(std::move(line.error()));
    if (!*line) break;
    if (!parser.parse(**line)) continue;
    places->in_results_.push_back({hash_of(parser.field(0).text), reader->place()});
  }
  std::ranges::sort(places->in_data_, {},
                    [](const InData& one) { return std::pair(one.hash, one.place.index); });
  std::ranges::sort(places->in_results_, {},
                    [](const InResults& one) { return std::pair(one.hash, one.place.offset); });
  if (!places->current()) return fail(ErrorKind::changed, "the run or its data changed while they were read");
  return places;
}

std::vector<CasePlace> CasePlaces::in_data(std::string_view id) const {
  return places_of<InData, CasePlace>(in_data_, id);
}

std::vector<LinePlace> CasePlaces::in_results(std::string_view id) const {
  return places_of<InResults, LinePlace>(in_results_, id);
}

bool CasePlaces::current() const {
  return run_version(directory_).text == version_ &&
         (data_path_.empty() || file_version(data_path_) == data_version_);
}

std::shared_ptr<const CasePlaces> CaseFinder::kept(const std::string& directory) {
  const std::lock_guard guard(mutex_);
  const auto found = std::ranges::find(kept_, directory, &Kept::directory);
  if (found == kept_.end()) return nullptr;
  if (!found->places->current()) {
    kept_.erase(found);
    return nullptr;
  }
  std::rotate(kept_.begin(), found, std::next(found));
  return kept_.front().places;
}

bool CaseFinder::knows(const std::string& directory) {
  return kept(directory) != nullptr;
}

Result<CaseView> CaseFinder::show(const std::string& directory, const std::string& id) {
  const auto places = kept(directory);
  return show_case(directory, id, places.get(), &hashes_);
}

void CaseFinder::prepare(const std::string& directory) {
  {
    const std::lock_guard guard(mutex_);
    if (std::ranges::find(learning_, directory) != learning_.end()) return;
    learning_.push_back(directory);
  }
  auto places = CasePlaces::read(directory, &hashes_);
  const std::lock_guard guard(mutex_);
  std::erase(learning_, directory);
  if (!places) return;  // then it is read from the start, which tells what is wrong
  std::erase_if(kept_, [&](const Kept& one) { return one.directory == directory; });
  kept_.insert(kept_.begin(), {directory, std::move(*places)});
  if (kept_.size() > kMost) kept_.pop_back();
}

}  // namespace assay
