// kind: http. A service of the user's. `{name}` in the URL is filled from the arguments; the rest of them is
// the query of a GET or DELETE, and the JSON body of the other methods.
#include <algorithm>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/config/variables.h"
#include "core/text.h"
#include "tools/http_call.h"
#include "tools/kinds/kinds.h"
#include "tools/url_pattern.h"

namespace assay {
namespace {

bool has_body(std::string_view method) {
  return method != "GET" && method != "DELETE";
}

void append_query(std::string& url, const JsonObject& arguments) {
  char before = url.contains('?') ? '&' : '?';
  for (const auto& [name, value] : arguments) {
    url += fmt::format("{}{}={}", before, percent_encoded(name), percent_encoded(text_or_json(value)));
    before = '&';
  }
}

class HttpAction final : public ToolAction {
 public:
  HttpAction(std::string method, UrlPattern url, NamedTexts headers)
      : method_(std::move(method)), url_(std::move(url)), headers_(std::move(headers)) {}

  JsonObject identity() const override {
    return {{"method", method_}, {"url", url_.text()}, {"headers", object_of(headers_)}};
  }

  std::vector<std::string> variables() const override { return environment_names(headers_); }

  Task<Result<Json>> use(ToolMeans& means, ToolUse use) const override {
    HttpCall call;
    call.method = method_;
    call.headers = headers_;
    call.timeout = use.tool->timeout;
    call.text_reply = TextReply::taken;
    JsonObject rest = std::move(use.arguments);
    auto url = url_.fill(rest);
    if (!url) co_return fail(std::move(url.error()));
    call.url = std::move(*url);
    for (const std::string& name : url_.names()) rest.erase(name);
    if (has_body(method_)) {
      call.body = to_text(rest);
      const bool typed = std::ranges::any_of(call.headers, [](const auto& header) {
        return equal_ignoring_ascii_case(header.first, "content-type");
      });
      if (!typed) call.headers.emplace_back("Content-Type", "application/json");
    } else {
      append_query(call.url, rest);
    }
    auto reply = co_await call_http(means.http, std::move(call), means.environment);
    if (!reply) co_return fail(std::move(reply.error().error));
    co_return std::move(*reply);
  }

 private:
  std::string method_;
  UrlPattern url_;
  NamedTexts headers_;  // values may hold ${NAME}
};

Keys keys() {
  return {{.name = "url", .help = "the address, `{name}` is filled from the arguments.", .required = true},
          {.name = "method",
           .help = "by default POST, with the arguments as JSON body.",
           .choices = {"GET", "POST", "PUT", "PATCH", "DELETE"}},
          headers_key(),
          parameters_key()};
}

ToolKind::Reading read(ToolDeclaration& declaration) {
  std::string method = declaration.values().has("method") ? declaration.values().text("method") : "POST";
  NamedTexts headers = declaration.named_texts("headers");
  auto url = UrlPattern::parse(declaration.url());
  if (!url) {
    if (declaration.problems().empty()) declaration.complain("url: " + url.error().text());
    return {};
  }
  return {.parameters = declaration.parameters(),
          .action = std::make_shared<HttpAction>(std::move(method), std::move(*url), std::move(headers))};
}

}  // namespace

constinit const ToolKind kHttpKind = {
    .name = "http", .runs = ToolKind::Runs::elsewhere, .keys = keys, .read = read};

}  // namespace assay
