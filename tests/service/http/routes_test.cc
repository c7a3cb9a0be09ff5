#include "service/http/routes.h"

#include <filesystem>
#include <map>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Keeps what was answered.
class Kept final : public Responder {
 public:
  void send(int status, Headers headers, std::string body) override {
    status_ = status;
    headers_ = std::move(headers);
    body_ = std::move(body);
  }
  void begin_stream(int status, Headers headers) override { send(status, std::move(headers), ""); }
  void write(std::string chunk) override { body_ += chunk; }
  void end_stream() override {}
  void when_sent(std::function<void()> work) override { work(); }
  bool open() const override { return true; }
  void drop() override {}
  void send_truncated(int, Headers, std::string, std::size_t) override {}
  void after(std::chrono::nanoseconds, std::function<void()>) override {}

  int status_ = 0;
  Headers headers_;
  std::string body_;
};

Route route(const std::string& method, const std::string& path, TokenRole role) {
  return {.method = method,
          .path = path,
          .role = role,
          .summary = "Says where it is.",
          .answer = JsonObject{{"type", "object"}},
          .handle = [path](const std::shared_ptr<Exchange>& exchange, const Json&) {
            exchange->send(200, JsonObject{{"path", path}, {"rest", exchange->parameter("rest")}});
          }};
}

struct RoutesTest : testing::Test {
  std::string path = testing::TempDir() + "assay-routes-tokens";
  std::string reader;
  std::string writer;
  std::unique_ptr<Routes> routes;

  void SetUp() override {
    std::filesystem::remove(path);
    reader = *Tokens::add(path, "reader", "read");
    writer = *Tokens::add(path, "writer", "write");
    routes = made(path);
  }
  static std::unique_ptr<Routes> made(const std::string& tokens) {
    return std::make_unique<Routes>(
        joined({{route("GET", "/open", TokenRole::none), route("GET", "/page/{rest…}", TokenRole::none)},
                {route("GET", "/api/things", TokenRole::read), route("POST", "/api/things", TokenRole::write),
                 route("GET", "/api/about", TokenRole::any)}}),
        std::move(*TokenFile::open(tokens, {})), Access("127.0.0.1", {}, {"https://dashboard.example"}));
  }
  static ServerRequest request(const std::string& method, const std::string& where,
                               const std::string& token = "") {
    ServerRequest request{.method = method, .path = where};
    if (!token.empty()) request.headers.add("Authorization", "Bearer " + token);
    return request;
  }
  // 0: admitted.
  int refused(const std::string& method, const std::string& where, const std::string& token = "") const {
    ServerRequest head = request(method, where, token);
    const auto refusal = routes->admit(head);
    return refusal ? refusal->status : 0;
  }
};

TEST_F(RoutesTest, ATokenOpensWhatItsRolesAllow) {
  EXPECT_EQ(refused("GET", "/open"), 0);
  EXPECT_EQ(refused("GET", "/api/things"), 401);
  EXPECT_EQ(refused("GET", "/api/about"), 401);
  EXPECT_EQ(refused("GET", "/api/things", "assay_guessed"), 401);
  EXPECT_EQ(refused("GET", "/api/things", reader), 0);
  EXPECT_EQ(refused("HEAD", "/api/things", reader), 0);
  EXPECT_EQ(refused("POST", "/api/things", reader), 403);
  EXPECT_EQ(refused("POST", "/api/things", writer), 0);
  EXPECT_EQ(refused("GET", "/api/about", writer), 0);
  EXPECT_EQ(refused("GET", "/nowhere"), 401) << "who has no token learns nothing of what there is";
  EXPECT_EQ(refused("GET", "/nowhere", reader), 404);
  EXPECT_EQ(refused("DELETE", "/api/things", reader), 405);
}

TEST_F(RoutesTest, WithoutAFileOfTokensEverybodyMayEverything) {
  routes = made("");
  ServerRequest head = request("POST", "/api/things");
  EXPECT_FALSE(routes->admit(head));
  EXPECT_EQ(TokenRoles::of_bits(head.rights), TokenRoles::all());
}

TEST_F(RoutesTest, WhoTakesNoParametersRefusesThemAndAPageTakesAny) {
  const auto answered = [&](const std::string& where) {
    ServerRequest asked = request("GET", where, reader);
    asked.query = "dry_run=true";
    const auto kept = std::make_shared<Kept>();
    routes->answer(asked, kept);
    return kept;
  };
  EXPECT_EQ(answered("/api/things")->status_, 400);
  EXPECT_THAT(answered("/api/things")->body_,
              HasSubstr(R"({"pointer":"dry_run","message":"unknown parameter"})"));
  EXPECT_EQ(answered("/page/a")->status_, 200);
}

TEST_F(RoutesTest, AnOpenEndTakesAllThatFollows) {
  const auto kept = std::make_shared<Kept>();
  routes->answer(request("GET", "/page/a/b"), kept);
  EXPECT_THAT(kept->body_, HasSubstr(R"("rest":"a/b")"));
  EXPECT_EQ(refused("GET", "/page", reader), 404) << "at least one part";
}

TEST_F(RoutesTest, ANamedOriginIsToldSoAndAskedFirst) {
  ServerRequest head = request("OPTIONS", "/api/things");
  head.headers.add("Origin", "https://dashboard.example");
  head.headers.add("Access-Control-Request-Method", "POST");
  const auto before = routes->admit(head);
  ASSERT_TRUE(before);
  EXPECT_EQ(before->status, 204) << "a browser sends no token with it";
  EXPECT_EQ(*before->headers.find("Access-Control-Allow-Origin"), "https://dashboard.example");
  EXPECT_EQ(*before->headers.find("Access-Control-Allow-Methods"), "GET, POST");
  ServerRequest asked = request("GET", "/api/things", reader);
  asked.headers.add("Origin", "https://dashboard.example");
  const auto kept = std::make_shared<Kept>();
  routes->answer(asked, kept);
  EXPECT_EQ(*kept->headers_.find("Access-Control-Allow-Origin"), "https://dashboard.example");
  ServerRequest unknown = request("GET", "/api/things");
  unknown.headers.add("Origin", "https://dashboard.example");
  EXPECT_EQ(*routes->admit(unknown)->headers.find("Access-Control-Allow-Origin"), "https://dashboard.example")
      << "so that the page can read why";
}

TEST_F(RoutesTest, EveryAnswerIsCounted) {
  (void)refused("GET", "/api/things");
  (void)refused("BREW", "/coffee", reader);
  routes->answer(request("GET", "/api/things", reader), std::make_shared<Kept>());
  routes->answer(request("GET", "/api/things", reader), std::make_shared<Kept>());
  using Key = std::pair<std::string, int>;
  EXPECT_THAT(routes->counts().all(),
              ElementsAre(std::pair(Key("GET /api/things", 200), 2U),
                          std::pair(Key("GET /api/things", 401), 1U), std::pair(Key("other none", 404), 1U)));
}

TEST_F(RoutesTest, TheDescriptionSaysWhichRoleARouteNeeds) {
  const Json& document = routes->openapi();
  const Json& paths = document.at("paths");
  EXPECT_EQ(text_at(paths.at("/api/things").at("post"), "x-role"), "write");
  EXPECT_TRUE(paths.at("/open").at("get").at("security").as_array().empty());
  EXPECT_EQ(find_member(paths.at("/api/things").at("get"), "security"), nullptr) << "as the whole document";
  EXPECT_NE(find_pointer(document, "/paths/~1page~1{rest}/get"), nullptr);
  EXPECT_NE(find_pointer(document, "/paths/~1openapi.json/get"), nullptr);
}

}  // namespace
}  // namespace assay
