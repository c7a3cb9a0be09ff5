#include "models/embeddings.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/wire_fixtures.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Shapes as the references of both services show them: platform.openai.com/docs/api-reference/embeddings and
// github.com/ollama/ollama/blob/main/docs/api.md#generate-embeddings.
TEST(Embeddings, AreReadInBothForms) {
  const auto openai = read_embeddings(json(R"({
    "object": "list", "model": "text-embedding-3-small", "usage": {"prompt_tokens": 8, "total_tokens": 8},
    "data": [{"object": "embedding", "index": 1, "embedding": [0.5, -1]},
             {"object": "embedding", "index": 0, "embedding": [0.25, 2e-3]}]})"),
                                      2);
  ASSERT_TRUE(openai) << openai.error().text();
  EXPECT_THAT(openai->vectors, ElementsAre(ElementsAre(0.25F, 2e-3F), ElementsAre(0.5F, -1.0F)));
  EXPECT_EQ(openai->usage.prompt_tokens, 8);
  EXPECT_EQ(openai->model, "text-embedding-3-small");

  const auto ollama = read_embeddings(json(R"({"model": "all-minilm", "embeddings": [[0.01, 1], [2, 3]],
    "total_duration": 14143917, "load_duration": 1019500, "prompt_eval_count": 5})"),
                                      2);
  ASSERT_TRUE(ollama) << ollama.error().text();
  EXPECT_THAT(ollama->vectors, ElementsAre(ElementsAre(0.01F, 1.0F), ElementsAre(2.0F, 3.0F)));
  EXPECT_EQ(ollama->usage.prompt_tokens, 5);

  // 1.0F is 00 00 80 3f.
  const auto packed = read_embeddings(json(R"({"data": [{"embedding": "AACAPw=="}]})"), 1);
  ASSERT_TRUE(packed) << packed.error().text();
  EXPECT_THAT(packed->vectors, ElementsAre(ElementsAre(1.0F)));
}

TEST(Embeddings, ThatDoNotFitAreRefused) {
  struct Wrong {
    std::string reply;
    std::string told;
  };
  for (const auto& [reply, told] : std::vector<Wrong>{
           {"[]", "neither a list"},
           {R"({"data": {}})", "neither a list"},
           {R"({"embeddings": [[1]]})", "it has 1 embeddings, and 2 were asked for"},
           {R"({"embeddings": [[1], [1, 2]]})", "of 1 and of 2 numbers"},
           {R"({"embeddings": [[], []]})", "embedding 0 has 0 numbers"},
           {R"({"embeddings": [[1], [null]]})", "embedding 1 holds null"},
           {R"({"embeddings": [[1], [1e300]]})", "not finite"},
           {R"({"embeddings": [[1], 7]})", "embedding 1 is 7"},
           {R"({"embeddings": [[1], "AACAP"]})", "no base64 of float32s"},
           {R"({"data": [{"embedding": [1]}, {}]})", "element 1 has no embedding"},
           {R"({"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]})",
            "index of element 1"},
           {R"({"data": [{"index": 2, "embedding": [1]}, {"index": 0, "embedding": [1]}]})",
            "index of element 0"},
       }) {
    const auto wrong = read_embeddings(json(reply), 2);
    ASSERT_FALSE(wrong) << reply;
    EXPECT_EQ(wrong.error().kind, ErrorKind::parse);
    EXPECT_THAT(wrong.error().text(), HasSubstr(told));
  }
}

TEST(Embeddings, AreKeptToTheLastBit) {
  const EmbeddingReply reply{.vectors = {{0.1F, -3.4e38F, 1e-45F}, {0, 1, 2}}, .model = "m"};
  const auto read = embeddings_from_text(to_text(reply));
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->vectors, reply.vectors);
  EXPECT_EQ(read->model, "m");
  EXPECT_EQ(to_text(embedding_body("m", {"a", "b"})), R"({"model":"m","input":["a","b"]})");
}

}  // namespace
}  // namespace assay
