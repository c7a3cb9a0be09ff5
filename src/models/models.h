// The models of a run: looked up by alias or "provider/name", built once and kept, all over one HTTP client.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "models/endpoint.h"
#include "models/model.h"
#include "net/event_loop.h"
#include "net/http/http_client.h"

namespace assay {

using ModelAliases = std::map<std::string, ModelSpec, std::less<>>;
using SimFactory = std::function<Result<std::unique_ptr<ChatModel>>(const ModelSpec&)>;

class Models {
 public:
  // How long a model named as "provider/name" may take; an alias says so itself.
  struct Timeouts {
    std::chrono::nanoseconds total = std::chrono::seconds(120);
    std::chrono::nanoseconds idle = std::chrono::seconds(60);
  };

  // `aliases` is the `models:` map of the configuration; `sim` builds the models of
  // providers without a wire, which the simulator is.
  Models(EventLoop& loop, ModelAliases aliases, Environment environment, SimFactory sim,
         HttpClientOptions options = {});
  void set_timeouts(Timeouts timeouts) { timeouts_ = timeouts; }
  // Hears of secrets that are learnt while models are asked: tokens that a command prints.
  void set_note_secret(NoteSecret note) { note_secret_ = std::move(note); }
  ~Models();
  Models(const Models&) = delete;
  Models& operator=(const Models&) = delete;

  // An alias comes before a provider. Kind config; the error lists the aliases and providers that are known.
  Result<ModelSpec> resolve(std::string_view name) const;

  // The model, which lives as long as this. The same declaration gives the same model, so what one call
  // learns of it, the next one knows. Nothing is sent.
  Result<ChatModel*> find(std::string_view name);
  // The same with what its answers depend on and whose limits it shares, made once for each name.
  struct Asked {
    ChatModel& model;
    ModelIdentity identity;
    std::string who;   // "openai/gpt-4o at https://api.openai.com/v1": in the place of an alias
    std::string lane;  // ChatModel::limit_key(), of an alias with a limit of its own that alias alone
    std::optional<int> concurrency = {};  // of the alias
    std::optional<int> max_tokens = {};   // the same
  };
  Result<const Asked*> asked(std::string_view name);

  // The one client, for other requests of the same run.
  HttpClient& client() { return client_; }

 private:
  struct Built {
    ModelSpec spec;
    std::unique_ptr<ChatModel> model;
  };

  Result<std::unique_ptr<ChatModel>> build(const ModelSpec& spec);

  ModelAliases aliases_;
  Environment environment_;
  SimFactory sim_;
  HttpClient client_;
  std::vector<Built> built_;
  std::map<std::string, std::unique_ptr<Asked>, std::less<>> asked_;
  Timeouts timeouts_;
  NoteSecret note_secret_;
};

}  // namespace assay
