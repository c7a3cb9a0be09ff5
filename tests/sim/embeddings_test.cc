// Embeddings of the simulator: in process, and over HTTP in both forms by the program's own client.
#include <memory>
#include <string>
#include <vector>

#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/endpoint.h"
#include "sim/model.h"
#include "sim/protocols/embeddings_wire.h"
#include "sim/server.h"
#include "sim/text_vector.h"

namespace assay {
namespace {

using testing::HasSubstr;

double dot(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

TEST(SimEmbeddings, TextsThatShareWordsAreNear) {
  const auto vector = [](std::string_view text) { return sim::text_vector(text, 0); };
  const auto passport = vector("How do I renew my passport online?");
  EXPECT_EQ(passport.size(), 256U);
  EXPECT_NEAR(dot(passport, passport), 1, 1e-6);
  EXPECT_NEAR(dot(passport, vector("Renewing passports online")), 1, 0.35);
  EXPECT_LT(std::abs(dot(passport, vector("Bananas are yellow and sweet"))), 0.35);
  EXPECT_NE(passport, sim::text_vector("How do I renew my passport online?", 1)) << "the seed counts";
  for (const char* odd : {"", "the of and", "!!!", "日本語"})
    EXPECT_NEAR(dot(vector(odd), vector(odd)), 1, 1e-6) << odd;
}

const std::vector<std::string> kTexts = {"You may renew a passport online.", "x", "Bananas are yellow."};

struct SimEmbeddingServer : testing::Test {
  EventLoop loop;
  HttpClient client{loop, HttpClientOptions{}};
  std::unique_ptr<SimServer> server = std::move(start_sim({}).value());

  std::expected<EmbeddingReply, ModelFailure> embed(const std::string& path,
                                                    const std::string& provider = "openai") {
    const auto model =
        HttpModel::make({.provider = provider, .name = "embed", .base_url = server->url() + path}, client,
                        [](std::string_view) { return std::nullopt; });
    return loop.run_until_done((*model)->embed(kTexts));
  }
};

TEST_F(SimEmbeddingServer, AnswersBothFormsWithTheVectorsOfTheModelInProcess) {
  const auto model = SimModel::make("sim/embed").value();
  const auto here = loop.run_until_done(dynamic_cast<EmbeddingModel&>(*model).embed(kTexts));
  ASSERT_TRUE(here);
  for (const std::string path : {"/v1", "", "/v1/chat/completions?team=a", "/api"}) {
    const auto there = embed(path);
    ASSERT_TRUE(there) << path << ": " << there.error().error.text();
    EXPECT_EQ(there->vectors, here->vectors) << path;
    EXPECT_EQ(there->usage, here->usage) << path;
  }
  const Json stats = server->stats();
  const Json& routes = stats.at("requests").at("by_route");
  EXPECT_EQ(as_integer(routes.at("POST /v1/embeddings").at("200")), 3);
  EXPECT_EQ(as_integer(routes.at("POST /api/embed").at("200")), 1);
}

TEST_F(SimEmbeddingServer, AWireWithoutEmbeddingsSaysSo) {
  const auto none = embed("/v1", "anthropic");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().error.kind, ErrorKind::config);
  EXPECT_THAT(none.error().error.text(), HasSubstr("anthropic has no embeddings"));
}

TEST(SimEmbeddings, RefusesWhatTheServicesRefuse) {
  struct Wrong {
    std::string body;
    std::string param;
  };
  for (const auto& [body, param] : std::vector<Wrong>{
           {R"({"input": "a"})", "model"},
           {R"({"model": "m"})", "input"},
           {R"({"model": "m", "input": []})", "input"},
           {R"({"model": "m", "input": ["a", ""]})", "input"},
           {R"({"model": "m", "input": [[1, 2]]})", "input"},
           {R"({"model": "m", "input": "a", "dimensions": 0})", "dimensions"},
           {R"({"model": "m", "input": "a", "encoding_format": "int8"})", "encoding_format"}}) {
    const auto refused = sim::answer_embeddings(parse_json(body).value(), sim::EmbeddingWire::openai, 0);
    ASSERT_FALSE(refused) << body;
    EXPECT_EQ(refused.error().status, 400);
    EXPECT_EQ(refused.error().param, param);
  }
}

}  // namespace
}  // namespace assay
