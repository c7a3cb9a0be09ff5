#include "core/yaml.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using ::testing::HasSubstr;

std::string as_json(std::string_view yaml) {
  auto document = parse_yaml(yaml);
  return document ? to_text(document->value) : "error: " + document.error().text();
}

// Types by YAML 1.2's core schema, section 10.3 of the specification: yes/no/on/off are text.
TEST(Yaml, EscapesOfYamlAreTheCharactersThatTheyStandFor) {
  const auto read = parse_yaml(R"(a: "one\_two\Nthree\Lfour")");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(text_at(read->value, "a"), "one\u00a0two\u0085three\u2028four");
}

TEST(Yaml, AKeyOfAnyLengthReadsBack) {
  const std::string key(2000, 'k');
  for (const Json& value : {Json("text"), Json(JsonObject{{key, JsonArray{1, 2}}})}) {
    const Json written = JsonArray{JsonObject{{"a", 1}, {key, value}}};
    const auto read = parse_yaml(to_yaml(written));
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(read->value, written);
  }
}

// yaml-cpp takes it for the beginning of an escape.
TEST(Yaml, AZeroByteIsRefusedWithItsPlace) {
  const auto read = parse_yaml(std::string_view("a: b\nc: r\0_s\n", 13));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().text(),
            "line 2, column 5: found a zero byte, which is no text; save the file as UTF-8");
}

TEST(Yaml, ReadsScalarsByTheCoreSchema) {
  EXPECT_EQ(
      as_json("[1, -2, +3, 0x1F, 0o17, 1.5, 1e3, .5, true, False, null, ~, yes, on, '5', \"true\", 1.2.3, "
              "2026-01-01]"),
      R"([1,-2,3,31,15,1.5,1000,0.5,true,false,null,null,"yes","on","5","true","1.2.3","2026-01-01"])");
}

TEST(Yaml, RemembersWhereEachValueStood) {
  auto document = parse_yaml("a: 1\nb:\n  - x\n  - {c: 2}\n");
  ASSERT_TRUE(document.has_value());
  EXPECT_EQ(document->position("/a").line, 1);
  EXPECT_EQ(document->position("/b/1/c").line, 4);
  EXPECT_EQ(document->position("/b/1/c").column, 6);
  EXPECT_EQ(document->position("/nowhere").line, 0);
}

TEST(Yaml, NamesLineAndColumnOfSyntaxErrors) {
  EXPECT_THAT(as_json("a: [1, 2\nb: 3\n"), HasSubstr("line 2, column 2"));
  EXPECT_THAT(as_json("a: 1\n\tb: 2\n"), HasSubstr("line 2"));
}

// YAML 1.2 has such a text as plain in a flow; yaml-cpp does not.
TEST(Yaml, SaysThatAQuestionInAFlowMustBeQuoted) {
  for (const std::string_view text : {"a: 1\nvars: {question: What?, lang: [en, de]}\n", "a: [Where?]\n",
                                      "a: {question: What? Now, b: c}\n", "a: {question: Who?}\n"}) {
    EXPECT_THAT(as_json(text), HasSubstr("a text with a ? must stand in quotes")) << text;
  }
  EXPECT_EQ(as_json("a: {question: \"What?\"}\nb: Who?\n"), R"({"a":{"question":"What?"},"b":"Who?"})");
}

TEST(Yaml, RefusesBytesThatAreNotUtf8AndNamesTheirPlace) {
  EXPECT_EQ(as_json("a: 1\nb: \xdf\n"),
            "error: line 2, column 4: found bytes that are not UTF-8; save the file as UTF-8");
  EXPECT_THAT(as_json("\n\xb5:\n\xdf"), HasSubstr("line 2, column 1"));
  EXPECT_EQ(as_json(std::string_view("\xff\xfe"
                                     "a\0:\0 \0\xe9\0",
                                     10)),
            R"({"a":"é"})")
      << "UTF-16 with its mark";
}

TEST(Yaml, RefusesDuplicateKeysSecondDocumentsAndKeysThatAreNotText) {
  EXPECT_THAT(as_json("a: 1\na: 2\n"), HasSubstr("line 2, column 1: the key `a` is there twice"));
  EXPECT_THAT(as_json("a: 1\n---\nb: 2\n"), HasSubstr("second document"));
  EXPECT_THAT(as_json("[1, 2]: 3\n"), HasSubstr("a key must be plain text"));
}

TEST(Yaml, BoundsAliasesThatMultiply) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 8; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) bomb += (k ? ", " : "") + before;
    bomb += "]\n";
  }
  EXPECT_THAT(as_json(bomb), HasSubstr("too large"));
}

// 100 kB, named 3 × 3 × … times by few nodes: the bytes are what would fill the memory.
TEST(Yaml, AliasesOfLongTextsAreBoundedByTheirBytes) {
  std::string texts = "a: &a " + std::string(100'000, 'x') + "\nb: [";
  for (int i = 0; i < 5'000; ++i) texts += "*a, ";
  EXPECT_THAT(as_json(texts + "*a]\n"), HasSubstr("too large"));
  std::string keys = "a: &a {" + std::string(1'000, 'k') + ": {x: [1, 2, 3]}}\nb: [";
  for (int i = 0; i < 20'000; ++i) keys += "*a, ";
  EXPECT_THAT(as_json(keys + "*a]\n"), HasSubstr("too large"));
  std::string few = "a: &a " + std::string(100'000, 'x') + "\nb: [*a, *a, *a]\n";
  EXPECT_TRUE(parse_yaml(few)) << "aliases in moderation are fine";
}

// Found by the fuzzer: the library reads empty documents for ever after a stray comma.
// The merge key of YAML 1.1 (yaml.org/type/merge.html), its example with other words.
TEST(Yaml, AMapTakesWhatItMergesAndDoesNotSayItself) {
  EXPECT_EQ(as_json("base: &b {x: 1, y: {z: 2}}\none: {<<: *b, x: 3}\n"),
            R"({"base":{"x":1,"y":{"z":2}},"one":{"x":3,"y":{"z":2}}})");
  EXPECT_EQ(as_json("- &a {x: 1}\n- &b {x: 2, y: 2, <<: {z: 9}}\n- {r: 0, <<: [*a, *b]}\n"),
            R"([{"x":1},{"x":2,"y":2,"z":9},{"r":0,"x":1,"y":2,"z":9}])");
  EXPECT_EQ(as_json(R"({"<<": {"x": 1}})"), R"({"<<":{"x":1}})") << "in quotes it is a key";
  EXPECT_EQ(as_json("a: 1\n<<: text\n"), "error: line 2, column 5: `<<` merges a map, or a list of maps");
  EXPECT_THAT(as_json("a: &a {<<: *a, b: 1}"), HasSubstr("nested too deeply"));
  std::string doubled = "- &m0 {k: 1}\n";
  for (int i = 1; i < 60; ++i)
    doubled += "- &m" + std::to_string(i) + " {<<: [*m" + std::to_string(i - 1) + ", *m" +
               std::to_string(i - 1) + "]}\n";
  EXPECT_THAT(as_json(doubled), HasSubstr("too large"));
}

TEST(Yaml, StrayPunctuationIsAnErrorNotAHang) {
  for (const char* text : {",", "a: 1\n, b", "]", "}", "? ,", "---\n,\n"}) {
    EXPECT_THAT(as_json(text), HasSubstr("error: ")) << text;
  }
}

TEST(Yaml, AnEmptyTextIsNull) {
  EXPECT_EQ(as_json(""), "null");
}

TEST(Yaml, WhatIsWrittenReadsBackAsTheSameTree) {
  const char* kTrees[] = {
      R"({"a":1,"b":[1,2,{"c":null}],"d":{},"e":[],"f":"yes: no","g":"- x","h":"","i":"true","j":"5","k":" lead"})",
      R"({"text":"line one\nline two\n","more":"no end\nhere","lots":"x\n\n\n","tab":"a\tb\nc","crlf":"a\r\nb","first":" x\ny"})",
      R"({"sp ace":1,"col:on":2,"":3,"null":4,"#c":5,"quote\"s":6,"nested":{"deep":["a",["b"],[],{}]}})",
      R"([[1,[2]],[],{"a":[{"b":"c"}]}])",
      R"({"unicode":"é 漢 😀  x","numbers":[1.5E0,1E300,-0.5,9007199254740993]})",
  };
  for (const char* tree : kTrees) {
    const auto value = parse_json(tree);
    ASSERT_TRUE(value.has_value()) << tree;
    const std::string yaml = to_yaml(*value);
    const auto again = parse_yaml(yaml);
    ASSERT_TRUE(again.has_value()) << yaml << again.error().text();
    EXPECT_EQ(canonical_text(again->value), canonical_text(*value)) << yaml;
  }
}

}  // namespace
}  // namespace assay
