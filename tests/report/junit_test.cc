#include "report/junit.h"

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
  const Tree root = parsed(junit_report(sample_report())).get_child("testsuites");
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

TEST(JUnit, HasATestCasePerErroredCaseAndCountsThoseNotListed) {
  const Tree root = parsed(junit_report(sample_report())).get_child("testsuites");
  const auto cases = children(children(root, "testsuite")[1], "testcase");
  // q-3 has two problems and is one case; two cases errored, so one is not listed. The warning is no case.
  ASSERT_EQ(cases.size(), 2U);
  EXPECT_EQ(cases[0].get<std::string>("<xmlattr>.name"), "q-3");
  EXPECT_EQ(cases[0].get<std::string>("error"), "the judge gave no usable answer\nthe circuit opened");
  EXPECT_EQ(cases[1].get<std::string>("error.<xmlattr>.message"), "1 more case ended in error");
  EXPECT_EQ(root.get<int>("<xmlattr>.errors"), 2);
  EXPECT_EQ(root.get<int>("<xmlattr>.tests"), 5);
  EXPECT_EQ(root.get<double>("<xmlattr>.time"), 130);
}

TEST(JUnit, OfARunWithoutGatesAndErrorsIsWellFormed) {
  const Tree root = parsed(junit_report(ReportInput())).get_child("testsuites");
  EXPECT_EQ(root.get<int>("<xmlattr>.tests"), 0);
}

TEST(JUnit, KeepsHostileTextAsText) {
  const std::string xml = junit_report(hostile_report());
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
