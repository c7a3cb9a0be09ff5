#include "report/junit.h"

#include <map>
#include <sstream>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <gtest/gtest.h>

#include "core/text.h"
#include "tests/report/sample.h"

namespace assay {
namespace {

using Tree = boost::property_tree::ptree;

Tree parsed(const std::string& xml) {
  std::istringstream stream(xml);
  Tree tree;
  boost::property_tree::read_xml(stream, tree);  // throws if not well formed
  return tree;
}

std::vector<Tree> children(const Tree& parent, const std::string& name) {
  std::vector<Tree> found;
  for (const auto& [key, child] : parent) {
    if (key == name) found.push_back(child);
  }
  return found;
}

TEST(JUnit, HasATestCasePerGate) {
  const Tree root = parsed(junit_report(sample_report().summary, {})).get_child("testsuites");
  EXPECT_EQ(root.get<int>("<xmlattr>.failures"), 2);
  const auto suites = children(root, "testsuite");
  ASSERT_EQ(suites.size(), 2U);
  EXPECT_EQ(suites[0].get<std::string>("<xmlattr>.name"), "question_router.gates");
  const auto gates = children(suites[0], "testcase");
  ASSERT_EQ(gates.size(), 3U);
  EXPECT_EQ(gates[0].get<std::string>("<xmlattr>.name"), "accuracy >= 0.5");
  EXPECT_EQ(gates[0].count("failure"), 0U);
  EXPECT_EQ(gates[1].get<std::string>("failure.<xmlattr>.message"),
            "undefined: no case was classified as positive");
  EXPECT_EQ(gates[2].get<std::string>("failure.<xmlattr>.message"), "the value is 2");
}

TEST(JUnit, GatesOfARunThatIsNotFinishedAreSkipped) {
  Summary summary = sample_report().summary;
  summary.cases.open = 40;
  const Tree root = parsed(junit_report(summary, {})).get_child("testsuites");
  EXPECT_EQ(root.get<int>("<xmlattr>.failures"), 0);
  const auto suites = children(root, "testsuite");
  EXPECT_EQ(suites[0].get<int>("<xmlattr>.skipped"), 3);
  const auto gates = children(suites[0], "testcase");
  ASSERT_EQ(gates.size(), 3U);
  for (const Tree& gate : gates) EXPECT_EQ(gate.count("failure"), 0U);
  EXPECT_EQ(gates[0].get<std::string>("skipped.<xmlattr>.message"),
            "the run is not finished; the gate holds so far (value 60.0%)");
  EXPECT_EQ(gates[2].get<std::string>("skipped.<xmlattr>.message"),
            "the run is not finished; the gate does not hold so far (value 2)");
}

// CaseResults::kMost is 10,000, and so is kMostFailed.
TEST(JUnit, ListsEveryErroredCaseAndEveryCaseBelowItsThresholdOfALargeRun) {
  CaseResults results;
  for (int i = 0; i < 30'000; ++i) {
    const bool errored = i == 9'999 || i == 29'998;
    const bool below = i == 29'999;
    results.add({std::to_string(i), errored ? "judge_failed" : "scored", "", 0, "",
                 below ? std::vector<std::string>{"fine 0.1, threshold 0.9"} : std::vector<std::string>{}});
  }
  EXPECT_EQ(results.cases.size(), 10'002U);
  EXPECT_EQ(results.unlisted, 19'998);
  const Tree root = parsed(junit_report(sample_report().summary, results)).get_child("testsuites");
  EXPECT_EQ(root.get<int>("<xmlattr>.errors"), 2);
  EXPECT_EQ(root.get<int>("<xmlattr>.failures"), 3);  // two gates of the sample
  for (int i = 0; i < 30'000; ++i) results.add({std::to_string(i), "judge_failed", "", 0, "", {}});
  EXPECT_EQ(results.cases.size(), 20'000U);
}

CaseResults sample_results() {
  CaseResults results;
  results.cases.push_back({"q-1", "scored", "", 0.5, "accuracy 1.000", {}});
  results.cases.push_back(
      {"q-2", "scored", "", 0, "faithfulness.mean 0.620", {"faithfulness 0.620, threshold 0.9"}});
  results.cases.push_back({"q-3", "judge_failed", "the judge gave no usable answer", 0, "", {}});
  results.cases.push_back({"q-4", "skipped", "", 0, "", {}});
  results.unlisted = 7;
  return results;
}

TEST(JUnit, HasATestCasePerCaseThatFailsWhereAThresholdWasMissed) {
  const Tree root = parsed(junit_report(sample_report().summary, sample_results())).get_child("testsuites");
  const Tree suite = children(root, "testsuite")[1];
  const auto cases = children(suite, "testcase");
  ASSERT_EQ(cases.size(), 5U);
  EXPECT_EQ(cases[0].get<std::string>("<xmlattr>.name"), "q-1");
  EXPECT_EQ(cases[0].get<std::string>("<xmlattr>.time"), "0.500");
  EXPECT_EQ(cases[0].count("failure") + cases[0].count("error"), 0U);
  EXPECT_EQ(cases[1].get<std::string>("failure.<xmlattr>.message"), "faithfulness 0.620, threshold 0.9");
  EXPECT_EQ(cases[2].get<std::string>("error.<xmlattr>.type"), "judge_failed");
  EXPECT_EQ(cases[2].get<std::string>("error"), "the judge gave no usable answer");
  EXPECT_EQ(cases[3].count("skipped"), 1U);
  EXPECT_EQ(cases[4].get<std::string>("skipped.<xmlattr>.message"), "7 more cases are in results.jsonl");
  EXPECT_EQ(suite.get<int>("<xmlattr>.tests"), 5);
  EXPECT_EQ(suite.get<int>("<xmlattr>.failures"), 1);
  EXPECT_EQ(suite.get<int>("<xmlattr>.errors"), 1);
  EXPECT_EQ(suite.get<int>("<xmlattr>.skipped"), 2);
  EXPECT_EQ(root.get<int>("<xmlattr>.tests"), 8);
  EXPECT_EQ(root.get<int>("<xmlattr>.failures"), 3) << "two gates and one case";
  EXPECT_EQ(root.get<double>("<xmlattr>.time"), 130);
}

TEST(JUnit, SaysWhatWasEvaluatedWhatItCameToAndThatItWasSimulated) {
  const Tree root = parsed(junit_report(sample_report().summary, {})).get_child("testsuites");
  std::multimap<std::string, std::string> found;
  for (const Tree& property : children(children(root, "testsuite")[0].get_child("properties"), "property"))
    found.emplace(property.get<std::string>("<xmlattr>.name"), property.get<std::string>("<xmlattr>.value"));
  EXPECT_EQ(found.find("simulated")->second, "sim/judge, sim/router");
  EXPECT_EQ(found.find("target")->second, "python3 route.py");
  EXPECT_EQ(found.find("conclusion")->second, "The router confuses visa with tax.");
}

TEST(JUnit, OfARunWithoutGatesAndErrorsIsWellFormed) {
  const Tree root = parsed(junit_report(Summary(), {})).get_child("testsuites");
  EXPECT_EQ(root.get<int>("<xmlattr>.tests"), 0);
}

TEST(JUnit, KeepsHostileTextAsText) {
  CaseResults results;
  results.cases.push_back({kHostile, kHostile, kHostile, 0, kHostile, {kHostile}});
  const std::string xml = junit_report(hostile_report().summary, results);
  const Tree root = parsed(xml).get_child("testsuites");
  EXPECT_TRUE(valid_utf8(xml));
  for (const char c : xml) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n');
  EXPECT_EQ(xml.find("\xEF\xBF\xBF"), std::string::npos);  // U+FFFF is no XML character
  EXPECT_EQ(xml.find("<script"), std::string::npos);
  const auto cases = children(children(root, "testsuite")[1], "testcase");
  const std::string name = cases.at(0).get<std::string>("<xmlattr>.name");
  EXPECT_TRUE(name.starts_with("</title></script></pre><script>alert(1)</script>")) << name;
  EXPECT_NE(name.find("\n]]>"), std::string::npos) << "line breaks survive the attribute";
}

TEST(XmlEscape, ReplacesWhatXmlForbids) {
  EXPECT_EQ(xml_escape("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;'");
  EXPECT_EQ(xml_escape(std::string("\0\x01\x1f", 3)), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(xml_escape("\xff"), "\xEF\xBF\xBD");
  EXPECT_EQ(xml_escape("\t\r\n"), "&#9;&#13;&#10;");
  EXPECT_EQ(xml_escape("grüße 🌍"), "grüße 🌍");
}

}  // namespace
}  // namespace assay
