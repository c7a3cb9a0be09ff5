// What a kind of tool is: the keys that its declaration has, how a declaration is read, and what a tool of
// the kind does. One kind is one file in kinds/, and its name in kinds/kinds.h; config keys, checks, the
// reference page, the journal and the engine's limits all follow from it. docs/add_a_tool_kind.md shows one.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

#include "core/config/config.h"
#include "core/environment.h"
#include "core/error.h"
#include "core/json/json.h"
#include "core/task.h"
#include "net/event_loop.h"
#include "net/http/http_client.h"
#include "tools/tool.h"
#include "tools/tool_session.h"

namespace assay {

// A larger result, as JSON, is an error; a kind that can cut off should do so before.
inline constexpr std::size_t kLargestResult = std::size_t{1} << 20;

// What tools work with. Belongs to one event loop; loop and client must outlive it.
class ToolMeans {
 public:
  ToolMeans(EventLoop& event_loop, HttpClient& http_client, Environment variables)
      : loop(event_loop), http(http_client), environment(std::move(variables)) {}

  EventLoop& loop;
  HttpClient& http;
  Environment environment;

  // What a kind keeps from one use to the next, such as a server that runs: one for all uses of the same
  // declaration in the session, made by `make` (a unique_ptr to a ToolSession::Kept) when it is first needed.
  // Without a session it is one for all, gone with the means.
  template <class Make>
  auto& kept_for(const ToolSpec& tool, ToolSession* session, const Make& make) {
    return (session != nullptr ? *session : shared_).kept_for(loop, identity_of(tool), make);
  }

 private:
  static std::string identity_of(const ToolSpec& tool);

  ToolSession shared_;
};

using NamedTexts = std::vector<std::pair<std::string, std::string>>;

// What a declared tool does. Immutable: many uses may be under way at once. Every wait inside must end when
// its coroutine is destroyed.
class ToolAction {
 public:
  ToolAction() = default;
  ToolAction(const ToolAction&) = delete;
  ToolAction& operator=(const ToolAction&) = delete;
  virtual ~ToolAction() = default;

  // What decides a result, for the journal: neither limits nor secrets, `${NAME}` as it was written.
  virtual JsonObject identity() const = 0;
  // One call, tried once. `use.tool` is the tool of this action, and keeps it alive. An Error is what the
  // model is told; nothing that `${NAME}` stood for may be in it or in the result.
  virtual Task<Result<Json>> use(ToolMeans& means, ToolUse use) const = 0;
  // Of a server: its tools, see Toolbox::list. Other kinds have none.
  virtual Task<Result<Json>> list(ToolMeans& means, std::shared_ptr<const ToolSpec> server,
                                  std::shared_ptr<ToolSession> session) const;
  // See has_own_process in tool.h.
  virtual bool has_own_process() const { return false; }
  // See variables_of and not_found in tool.h.
  virtual std::vector<std::string> variables() const { return {}; }
  virtual NamedTexts not_found() const { return {}; }
};

// One declaration, whose values fit the keys of its kind, while the kind reads it. What is wrong beyond that
// is collected, so that the user is told of all at once.
class ToolDeclaration {
 public:
  explicit ToolDeclaration(JsonObject values) : values_(std::move(values)) {}

  const Config& values() const { return values_; }
  const std::vector<std::string>& problems() const { return problems_; }
  // "url: found …, expected …", without a place.
  void complain(std::string problem) { problems_.push_back(std::move(problem)); }

  // Secrets of tools come from the environment.
  void complain_of_secret(std::string_view key);

  std::size_t size(std::string_view key, std::size_t fallback) const;
  // `headers` or `environment`.
  NamedTexts named_texts(std::string_view key);
  // `url`, which must be one of HTTP if it is there.
  std::string url();
  // `parameters`; an object with nothing said about its fields if there are none.
  Json parameters();

 private:
  Config values_;
  std::vector<std::string> problems_;
};

struct ToolKind {
  enum class Runs { here, elsewhere };             // whether a use takes this machine's cores
  enum class Offers { itself, tools_of_its_own };  // the second is a server
  struct Reading {
    Json parameters;  // see ToolSpec
    std::shared_ptr<const ToolAction> action;
  };

  std::string_view name;  // as configs say it: `kind: sql`
  Runs runs = Runs::here;
  Offers offers = Offers::itself;
  std::chrono::nanoseconds timeout = kUsualTimeout;  // of a use, where the declaration gives none
  std::string_view description = {};                 // for the model, where the declaration gives none
  // Beside name, kind, description and timeout. Kinds may share a key, of the same type; help is given
  // without the kind's name.
  Keys (*keys)() = nullptr;
  // Called only if every required key is there. Problems go to the declaration; what is returned beside them
  // is not used.
  Reading (*read)(ToolDeclaration& declaration) = nullptr;

  static constexpr std::chrono::nanoseconds kUsualTimeout = std::chrono::seconds(60);
};

// Keys that kinds share.
Key environment_key();
Key headers_key();
Key parameters_key();
Key sandbox_key(std::string help);
Key readable_key();

// Parts of identities: lists and objects of texts as they were written.
JsonArray list_of(const std::vector<std::string>& texts);
JsonObject object_of(const NamedTexts& texts);

// The schema of a tool that takes one text.
Json one_text_argument(std::string_view name, std::string_view description);

}  // namespace assay
