// A suite of promptfoo's as a config: prompts, providers and tests. What promptfoo 0.123.1 does with the same
// is read in its code (dist/src/evaluator, csv, prompts/processors); that the verdicts are the same on a
// whole suite shows tests/system/import.test.mjs.
#include "imports/promptfoo/providers.h"
#include "imports/promptfoo/template.h"
#include "imports/promptfoo/tests.h"
#include "tests/imports/suite_in_memory.h"

namespace assay {
namespace {

using testing::HasSubstr;

TEST(PromptfooTemplates, VariablesMembersTextsAndAFewFiltersAreValues) {
  const JsonObject variables =
      parse_json(R"({"a": "x", "n": 3, "o": {"b": [1, "two"]}, "l": ["p", "q"]})")->get_object();
  const auto shown = [&](std::string_view text) {
    const auto out = promptfoo::render_text(text, variables);
    return out ? *out : "error: " + out.error().message;
  };
  EXPECT_EQ(shown("{{a}}-{{ n }}-{{missing}}."), "x-3-.");
  EXPECT_EQ(shown("{{ o.b[1] }} {{o['b'][0]}} {{ o | dump }}"), R"(two 1 {"b":[1,"two"]})");
  EXPECT_EQ(shown("{{ a | upper }}{{ missing | default('-') }}{{ l | join(', ') }}"), "X-p, q");
  EXPECT_EQ(shown("{# said to nobody #}{% raw %}{{a}}{% endraw %}{{ '{{' }}"), "{{a}}{{");
  EXPECT_EQ(shown("{\"json\": {\"a\": 1}} { {{a}} }"), "{\"json\": {\"a\": 1}} { x }");
  EXPECT_EQ(shown("{% if a %}b{% endif %}"), "error: {% if a %} has no counterpart");
  EXPECT_EQ(shown("{{ a | reverse }}"), "error: the filter reverse has no counterpart");
  EXPECT_EQ(shown("{{ a + n }}"), "error: “+ n” has no counterpart");
  EXPECT_EQ(shown("{{- a }}"), "error: white space control ({{- … -}}) has no counterpart");
  EXPECT_EQ(promptfoo::with_environment("Bearer {{env.TOKEN}} {{a}}"), "Bearer ${TOKEN} {{a}}");
}

TEST(PromptfooCells, AnAssertionInACellIsReadAsPromptfooReadsIt) {
  const auto read = [](std::string_view cell) { return to_text(promptfoo::assertion_in_cell(cell)); };
  EXPECT_EQ(read("Paris"), R"({"type":"equals","value":"Paris"})");
  EXPECT_EQ(read("note: this"), R"({"type":"equals","value":"note: this"})");
  EXPECT_EQ(read("not-icontains: sorry "), R"({"type":"not-icontains","value":"sorry"})");
  EXPECT_EQ(read(R"(contains-any: a, "b, ""c""",d)"),
            R"({"type":"contains-any","value":["a","b, \"c\"","d"]})");
  EXPECT_EQ(read("levenshtein(3):ab"), R"({"type":"levenshtein","value":"ab","threshold":3})");
  // Without a number these have 0.75 in a cell, whatever it means there.
  EXPECT_EQ(read("starts-with:ab"), R"({"type":"starts-with","value":"ab","threshold":0.75})");
  EXPECT_EQ(read("grade: is short"), R"({"type":"llm-rubric","value":"is short"})");
  EXPECT_EQ(read("fn:output.length < 5"), R"({"type":"javascript","value":"output.length < 5"})");
  EXPECT_EQ(read("file://check.py"), R"({"type":"python","value":"file://check.py"})");
  EXPECT_EQ(read("is-json"), R"({"type":"is-json"})");
}

TEST(PromptfooSuite, PromptsTimesModelsAreAMatrixAndPromptsAreFiles) {
  const auto suite = imported(R"(
description: what it is about
prompts:
  - file://p/old.txt
  - {label: New one, raw: "Say {{q}} {braces} {{ q | upper }}"}
providers:
  - openai:gpt-4o-mini
  - {id: "anthropic:messages:claude-x", label: big, config: {temperature: 0.5, max_tokens: 9}}
tests:
  - vars: {q: "a b"}
)",
                              {{"p/old.txt", "First: {{q}}\n---\n\nSecond: {{ q }}\n"}});
  EXPECT_EQ(suite.left_out(), "");
  EXPECT_EQ(suite.at("/what"), "\"what it is about\"");
  EXPECT_EQ(
      suite.at("/matrix/prompts"),
      R"([{"name":"old","prompt":"prompts/old.txt"},{"name":"old_2","prompt":"prompts/old_2.txt"},{"name":"new_one","prompt":"prompts/new_one.txt"}])");
  EXPECT_EQ(suite.at("/matrix/models"),
            R"([{"name":"gpt_4o_mini","model":"gpt_4o_mini"},{"name":"big","model":"big"}])");
  EXPECT_EQ(suite.at("/baseline"), "\"old-gpt_4o_mini\"");
  // What promptfoo sends where the suite is silent: temperature 0 and 1024 tokens.
  EXPECT_EQ(suite.at("/models/gpt_4o_mini"),
            R"({"provider":"openai","name":"gpt-4o-mini","temperature":0,"max_tokens":1024})");
  EXPECT_EQ(suite.at("/models/big"),
            R"({"provider":"anthropic","name":"claude-x","temperature":0.5,"max_tokens":9})");
  EXPECT_EQ(suite.file("prompts/old_2.txt"), "Second: {q}\n");
  // Braces of the text come from a field, and so does what a filter makes.
  EXPECT_EQ(suite.file("prompts/new_one.txt"), "Say {q} {braces_braces} {q_upper}\n");
  EXPECT_EQ(to_text(suite.cases.at(0)), R"({"id":"1","q":"a b","q_upper":"A B","braces_braces":"{braces}"})");
  EXPECT_EQ(suite.suite.variants, 6U);
}

TEST(PromptfooSuite, ChatsEndpointsProgramsAndEchoAreVariants) {
  const auto suite =
      imported(R"(
prompts:
  - id: file://chat.json
    label: chat
  - {label: plain, raw: "Say {{q}}"}
providers:
  - {id: "openai:chat:m", prompts: [chat]}
  - id: https://api.example/chat
    label: live
    prompts: [plain]
    config:
      method: post
      headers: {Authorization: "Bearer {{env.KEY}}"}
      body: {text: "{{prompt}}", who: "{{user.name}}"}
      transformResponse: json.choices[0].message.content
  - {id: "exec: python3 bot.py", label: bot, prompts: [plain]}
  - {id: echo, prompts: [plain]}
tests:
  - vars: {q: now, user: {name: Ann}}
)",
               {{"chat.json",
                 R"([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "{{q}}"}])"}});
  EXPECT_EQ(suite.left_out(), "");
  EXPECT_EQ(
      suite.at("/variants/chat-m"),
      R"({"model":{"model":"m","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"{q}"}]}})");
  EXPECT_EQ(
      suite.at("/variants/plain-live"),
      R"({"http":{"url":"https://api.example/chat","method":"POST","headers":{"Authorization":"Bearer ${KEY}"},"body":{"text":"Say {q}","who":"{user_name}"}},"map":{"output":"/choices/0/message/content"}})");
  EXPECT_EQ(suite.at("/variants/plain-bot"), R"({"command":["python3","bot.py"],"args":["Say {q}"]})");
  EXPECT_EQ(suite.at("/variants/plain-echo"), R"({"given":"echo_plain-echo"})");
  EXPECT_EQ(to_text(suite.cases.at(0)),
            R"({"id":"1","q":"now","user":{"name":"Ann"},"user_name":"Ann","echo_plain-echo":"Say now"})");
}

// A reply that must be JSON by a schema is parsed for the assertions there (src/providers/openai/chat.ts), so
// it is JSON here.
TEST(PromptfooSuite, AReplyFormatWithASchemaIsTheSchemaOfItsVariants) {
  const auto suite = imported(R"(
prompts: ["Say {{q}}"]
providers:
  - id: openai:gpt-4o
    label: strict
    config: &shared
      apiBaseUrl: https://gate.example/v1
      headers: {Content-Type: application/json, X-Team: a}
      response_format: {type: json_schema, json_schema: {name: n, schema: {type: object}}}
  - id: openai:gpt-4o
    label: filed
    config:
      <<: *shared
      response_format: file://format.yaml
  - {id: "openai:gpt-4o", label: loose, config: {response_format: {type: json_object}}}
tests:
  - {vars: {q: a}, assert: [{type: javascript, value: output.x > 1}]}
)",
                              {{"format.yaml", "type: json_schema\nname: n\nschema: {type: array}\n"}});
  EXPECT_EQ(suite.at("/variants/strict"),
            R"({"model":{"model":"strict","prompt":"prompts/prompt_1.txt","schema":"schemas/strict.json"}})");
  EXPECT_EQ(suite.file("schemas/filed.json"), "{\n  \"type\": \"array\"\n}\n");
  EXPECT_THAT(suite.at("/models/filed"), HasSubstr(R"("base_url":"https://gate.example/v1")"))
      << "it is merged";
  EXPECT_THAT(suite.at("/models/strict"), HasSubstr(R"("headers":{"X-Team":"a"})"));
  EXPECT_EQ(suite.at("/variants/loose"), R"({"model":{"model":"loose","prompt":"prompts/prompt_1.txt"}})");
  EXPECT_EQ(
      suite.left_out(),
      "suite.yaml, line 15: response_format json_object of provider openai:gpt-4o: the prompt asks for JSON, "
      "nothing makes sure of it: give the variant's model a `schema`\n");
}

TEST(PromptfooSuite, ABodyOfTextThatIsJsonIsFilledAsJson) {
  const auto suite = imported(R"(
prompts: [file://p.j2, file://q.md]
providers:
  - {id: https, label: a, config: {url: "{{ env.BASE }}/chat", body: '{"m": {{prompt | dump}}, "s": "{{sid}}", "n": 1}'}}
  - {id: "https://b.example", label: b, config: {body: "m={{prompt}}"}}
  - {id: "https://c.example", label: c, config: {body: {m: "{{ prompt | trim }}"}}}
tests: [{vars: {q: '"', sid: x}, assert: [{type: contains, value: x}]}]
)",
                              {{"p.j2", "Say {{q}}\n---\nor not\n"}, {"q.md", "# Say\n---\n{{q}}\n"}});
  EXPECT_EQ(suite.at("/variants/p-a/http"),
            R"({"url":"${BASE}/chat","body":{"m":"Say {q}\n---\nor not\n","s":"{sid}","n":1}})");
  EXPECT_EQ(suite.at("/variants/q-b/http/body"), R"("m=# Say\n---\n{q}\n")");
  EXPECT_EQ(suite.at("/variants/p-c"), "null");
  EXPECT_THAT(suite.left_out(),
              HasSubstr("line 6: provider https://c.example: “prompt | trim” in its request"));
}

TEST(PromptfooSuite, WhatComesOfItRunsAlsoWhereNothingThatIsAskedCouldBeTaken) {
  const auto suite = imported(R"(
prompts: [file://make.py, "{{#each q}}"]
providers: [file://provider.py]
tests: [{vars: {q: a, r: b}}]
)");
  EXPECT_EQ(suite.at("/models/bot"), R"({"provider":"sim","name":"writer"})");
  EXPECT_EQ(suite.file("prompts/prompt_1.txt"), "{q}\n{r}\n");
  EXPECT_EQ(suite.at("/metrics"), R"([{"name":"answered","words":{"min":1}}])");
  EXPECT_THAT(suite.left_out(), HasSubstr("line 3: outputs: no provider could be taken"));
  EXPECT_THAT(suite.left_out(), HasSubstr("line 2: prompts: none could be taken"));
}

TEST(PromptfooSuite, AnAnswerIsFoundByAPathAndByNothingElse) {
  using promptfoo::pointer_of_path;
  EXPECT_EQ(pointer_of_path("json.a[0]['b c']"), std::nullopt);
  EXPECT_EQ(pointer_of_path("json.a[0]?.b"), "/a/0/b");
  EXPECT_EQ(pointer_of_path("(json) => json['a']"), "/a");
  EXPECT_EQ(pointer_of_path("json"), "");
  EXPECT_EQ(pointer_of_path("json.a.trim()"), std::nullopt);
  EXPECT_EQ(pointer_of_path("text.split(1)"), std::nullopt);
}

TEST(PromptfooSuite, WhatIsNotTakenIsToldWithItsLine) {
  const auto suite = imported(R"(prompts:
  - "{% for x in y %}{{x}}{% endfor %}"
  - file://gone.txt
  - file://make.py
  - "{{q}}"
providers:
  - replicate:meta.llama
  - openai:embedding:x
  - {id: "openai:m", config: {tools: [], apiKey: sk-secret}}
derivedMetrics: []
tests:
  - vars: {q: 1}
    threshold: 0.5
    options: {transform: output.trim()}
    assert:
      - {type: bleu, value: x}
      - {type: regex, value: "(?!x)y"}
      - {type: frobnicate}
)");
  EXPECT_EQ(
      suite.left_out(),
      "suite.yaml, line 10: derivedMetrics: figures are not computed from others\n"
      "suite.yaml, line 14: option transform of a test: outputs are looked at as they came; a JSON pointer "
      "in `of` "
      "takes a part, a `program` anything\n"
      "suite.yaml, line 13: threshold of a test: a case passes if all its metrics pass; a weighted mean has "
      "no counterpart\n"
      "suite.yaml, line 2: prompt: {% for x in y %} has no counterpart; write out what it makes\n"
      "suite.yaml, line 3: prompt: gone.txt: cannot open: no such file\n"
      "suite.yaml, line 4: prompt: make.py is a program that makes prompts; write what it makes into a file\n"
      "suite.yaml, line 7: provider replicate:meta.llama: this provider has no counterpart; if its server "
      "speaks OpenAI's "
      "protocol, add it under `models` with base_url, else call it as `http` or `command`\n"
      "suite.yaml, line 8: provider openai:embedding:x: embedding is no chat model\n"
      "suite.yaml, line 9: tools of provider openai:m: a model has no such setting here\n"
      "suite.yaml, line 16: assertion bleu: this measure is not here; rouge_l, token_f1 and levenshtein are\n"
      "suite.yaml, line 17: assertion regex: “(?!” is not in RE2, which searches in linear time; two "
      "metrics, one with "
      "not_regex, often say the same\n"
      "suite.yaml, line 18: assertion frobnicate: there is no such kind here\n");
  EXPECT_EQ(suite.file("assay.yaml").find("sk-secret"), std::string::npos);
  EXPECT_THAT(suite.notes(),
              HasSubstr("apiKey of openai:m: a key is never copied; it comes from OPENAI_API_KEY"));
}

TEST(PromptfooSuite, AFileThatIsNoSuiteIsAnErrorWithItsPlace) {
  const SuiteFiles none;
  const auto broken = import_promptfoo("s.yaml", "prompts: [a\n", none);
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().text(), HasSubstr("s.yaml"));
  EXPECT_THAT(broken.error().text(), HasSubstr("line"));
  const auto other = import_promptfoo("s.yaml", "evaluation: custom\n", none);
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().text(), HasSubstr("neither prompts nor tests"));
}

TEST(PromptfooTests, DefaultsScenariosListsAndFilesOfTestsAreCases) {
  const auto suite =
      imported(R"(
prompts: ["{{lang}} {{q}} {{text}}"]
providers: ["openai:m"]
defaultTest:
  vars: {lang: en, id: ignored}
  metadata: {team: a}
tests:
  - file://more.csv
  - file://lines.jsonl
  - {vars: {q: [one, two], lang: de, text: "file://t.txt", id: "{{q}}!"}}
scenarios:
  - config: [{vars: {lang: fr}}, {vars: {lang: it}}]
    tests: [{vars: {q: s}, description: ours}]
)",
               {{"more.csv", "q,text,__description,__metadata:area\nfrom csv,\"a, b\",said,x\n"},
                {"lines.jsonl", "{\"vars\": {\"q\": \"line\"}}\n\nrubbish\n"},
                {"t.txt", " of {{lang}} \n"}});
  const auto fields = [&](std::size_t i) { return to_text(suite.cases.at(i)); };
  ASSERT_EQ(suite.cases.size(), 6U);
  // A variable called id is none of ours, unless every test has another.
  EXPECT_EQ(
      fields(0),
      R"({"id":"1","description":"said","lang":"en","var_id":"ignored","q":"from csv","text":"a, b","team":"a","area":"x"})");
  EXPECT_EQ(fields(1), R"({"id":"2","lang":"en","var_id":"ignored","q":"line","text":"","team":"a"})");
  EXPECT_EQ(fields(2), R"({"id":"3","lang":"de","var_id":"one!","q":"one","text":"of de","team":"a"})");
  EXPECT_EQ(fields(3), R"({"id":"4","lang":"de","var_id":"two!","q":"two","text":"of de","team":"a"})");
  EXPECT_EQ(fields(5),
            R"({"id":"6","description":"ours","lang":"it","var_id":"ignored","q":"s","text":"","team":"a"})");
  EXPECT_THAT(suite.left_out(), HasSubstr("lines.jsonl, line 3: test: not JSON"));
}

}  // namespace
}  // namespace assay
