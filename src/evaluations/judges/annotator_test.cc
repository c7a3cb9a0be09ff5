#include "evaluations/judges/annotator_test.h"

#include <set>
#include <utility>

namespace assay {

std::string AnnotatorTest::no_verdict() const {
  if (test.passed) return "";
  if (names.size() < kFewestHumans)
    return "two people show only which of them the judge is nearer to, and the alternative annotator test "
           "asks for three";
  return test.winning_rate.undefined;
}

PeopleRatings people_ratings(std::span<const LabelledCase> cases) {
  std::set<std::string> names;
  for (const LabelledCase& one : cases) {
    for (const auto& [name, label] : one.people) names.insert(name);
  }
  PeopleRatings people{{names.begin(), names.end()}, Ratings(names.size())};
  const bool in_clusters = clustered(cases);
  for (const LabelledCase& one : cases) {
    std::vector<double> row;
    for (const std::string& name : people.names) {
      const auto label = one.people.find(name);
      row.push_back(label == one.people.end() ? Ratings::kAbsent : label->second);
    }
    people.ratings.add_unit(row, in_clusters ? unit_of(one) : std::string());
  }
  return people;
}

std::optional<AnnotatorTest> annotator_test(std::span<const LabelledCase> cases) {
  PeopleRatings people = people_ratings(cases);
  if (people.names.size() < 2) return std::nullopt;
  std::vector<double> judge;
  std::vector<std::string> clusters;
  for (const LabelledCase& one : cases) {
    judge.push_back(one.judge);
    if (clustered(cases)) clusters.push_back(unit_of(one));
  }
  AnnotatorTest made;
  made.names = std::move(people.names);
  made.options.alignment = pass_or_fail(cases) ? Alignment::accuracy : Alignment::rmse;
  made.test = alt_test(people.ratings, judge, made.options, clusters);
  return made;
}

}  // namespace assay
