#include <chrono>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/arguments.h"
#include "cli/help/help.h"
#include "cli/serve.h"
#include "core/environment.h"
#include "core/file.h"
#include "core/yaml.h"
#include "evaluations/common_keys.h"
#include "net/event_loop.h"
#include "net/http/host_name.h"
#include "net/signals.h"
#include "service/data/retention.h"
#include "service/http/access.h"
#include "store/address.h"

namespace assay {
namespace {

// How long answers under way may take when the service stops.
constexpr auto kDrainTime = std::chrono::seconds(10);
constexpr const char* kStoreDirectory = "assay-store";

int refuse(const Error& error, const Surroundings& surroundings) {
  show_error(error, surroundings);
  return kBadInput;
}

// The config that the words name, with the flags over it; nothing, and shown, if there are problems.
std::optional<Config> read_config(const Arguments& arguments, const Surroundings& surroundings) {
  ConfigSource source;
  source.flags = arguments.flags;
  source.environment = surroundings.environment;
  if (!arguments.words.empty()) {
    source.file = arguments.words.front();
    auto text = read_file(source.file);
    auto document = text ? parse_yaml(*text) : fail(text.error());
    if (!document) {
      show_error(std::move(document.error()).with("file", source.file), surroundings);
      return std::nullopt;
    }
    source.document = std::move(*document);
  }
  ResolvedConfig resolved = resolve_config(serve_keys(), source);
  if (!resolved.problems.empty()) {
    show_problems(resolved.problems, surroundings);
    return std::nullopt;
  }
  return std::move(resolved.config);
}

int show_prunable(const StoreAddress& store, const RetentionPlan& plan, const Surroundings& surroundings) {
  if (plan.empty())
    return refuse(Error{ErrorKind::usage,
                        "--dry-run tells what `keep` would remove; say how long things are kept: "
                        "--keep.records 90d, --keep.jobs 30d, --keep.items 1000d",
                        {}},
                  surroundings);
  auto pruned = prunable(store, plan.since(std::chrono::system_clock::now()));
  if (!pruned) return refuse(pruned.error(), surroundings);
  const std::string words = pruned_words(*pruned);
  print(fmt::format("keep: would remove {}\n", words.empty() ? "nothing" : words));
  return kDone;
}

int make_token(const Config& config, const std::string& client, const Surroundings& surroundings) {
  const std::string file = config.text("tokens");
  if (file.empty())
    return refuse(Error{ErrorKind::usage, "--new-token needs --tokens FILE to add it to", {}}, surroundings);
  auto token = Tokens::add(file, client, config.text("roles"));
  if (!token) return refuse(token.error(), surroundings);
  print(*token + "\n");
  return kDone;
}

Status check_addresses(const Config& config, const TokenFile& tokens) {
  const std::string host = config.text("host");
  if (!is_loopback_host(plain_host(host)) && !tokens.needed()) {
    return fail(Error{ErrorKind::config,
                      fmt::format("{} can be reached from other machines, and there are no tokens: make one "
                                  "with --tokens FILE --new-token CLIENT, or listen on 127.0.0.1",
                                  host),
                      {{"key", "host"}}});
  }
  for (const std::string& origin : config.texts("cors")) {
    if (std::string defect = Access::origin_defect(origin); !defect.empty())
      return fail(Error{ErrorKind::config, std::move(defect), {{"key", "cors"}}});
  }
  return {};
}

// `${NAME}` may hold a password, which stands nowhere else.
Result<StoreAddress> store_address(const Config& config, const Environment& environment) {
  auto filled = fill_environment(config.text("store"), environment);
  auto address = filled ? StoreAddress::read(*filled) : fail(std::move(filled.error()));
  if (!address) return fail(std::move(address.error()).with("key", "store"));
  return address;
}

// Where is kept what is this machine's own.
std::string work_directory(const Config& config, const StoreAddress& store) {
  if (config.has("work_dir")) return config.text("work_dir");
  switch (store.kind()) {
    case StoreAddress::Kind::directory:
      return store.path();
    case StoreAddress::Kind::sqlite_file: {
      const std::size_t slash = store.path().find_last_of('/');
      return slash == std::string::npos ? "." : store.path().substr(0, slash);
    }
    case StoreAddress::Kind::postgres:
      break;
  }
  return kStoreDirectory;
}

Result<ServiceOptions> service_options(const Config& config, const Surroundings& surroundings) {
  auto tokens =
      TokenFile::open(config.text("tokens"), [](const std::string& problem) { print_error(problem + "\n"); });
  if (!tokens) return fail(std::move(tokens.error()));
  if (auto good = check_addresses(config, **tokens); !good) return fail(std::move(good.error()));
  ServiceOptions options;
  options.http.host = config.text("host");
  options.http.port = static_cast<std::uint16_t>(config.integer("port").value_or(8080));
  options.http.threads = static_cast<int>(config.integer("threads").value_or(2));
  options.http.max_body = static_cast<std::size_t>(config.integer("max_body").value_or(16 << 20));
  options.http.max_buffered = static_cast<std::size_t>(config.integer("max_buffered").value_or(256 << 20));
  options.http.header_timeout = config.duration("request_timeout");
  options.names = config.texts("names");
  options.cors = config.texts("cors");
  options.tokens = std::move(*tokens);
  options.results = config.texts("results");
  if (options.results.empty()) options.results.emplace_back("results");
  auto store = store_address(config, surroundings.environment);
  if (!store) return fail(std::move(store.error()));
  const std::string own = work_directory(config, *store);
  options.labels = config.has("labels") ? config.text("labels") : own + "/labels";
  options.configs = config.text("configs");
  options.started = own + "/started";
  options.data = DataOptions{std::move(*store), own, static_cast<int>(config.integer("jobs").value_or(2)),
                             retention_plan(config)};
  options.config = config;
  options.environment = surroundings.environment;
  return options;
}

}  // namespace

int serve(ServiceOptions options, const Surroundings& surroundings,
          const std::function<void(const std::string& address)>& listening) {
  const std::string host = options.http.host;
  auto service = Service::start(std::move(options));
  if (!service) return refuse(service.error(), surroundings);
  listening(fmt::format("http://{}:{}", url_host(host), (*service)->port()));
  EventLoop loop;
  std::thread stopping;
  const SignalWatch watch(loop, [&, signals = 0](int) mutable {
    // The second signal does not wait; what was answered is safe.
    if (++signals > 1) ::_exit(kInterrupted);
    print_error("\nstopping: waiting for what is in flight (again to stop at once)\n");
    stopping = std::thread([&] {
      (*service)->stop(kDrainTime);
      loop.stop();
    });
  });
  loop.run();
  if (stopping.joinable()) stopping.join();
  return kDone;
}

Keys serve_keys() {
  Keys keys = {{.name = "host",
                .help = "Address to listen on; any other than loopback needs `tokens`.",
                .default_value = "127.0.0.1"},
               {.name = "port",
                .type = KeyType::integer,
                .help = "Port; 0 takes any free one.",
                .default_value = 8080,
                .minimum = 0,
                .maximum = 65535},
               {.name = "names",
                .type = KeyType::text_list,
                .help = "Names by which clients reach the service, besides loopback and the address that it "
                        "listens on: that of a proxy, that of the machine."},
               {.name = "cors",
                .type = KeyType::text_list,
                .help = "Origins of pages elsewhere that may use the service from a browser: "
                        "https://dashboard.example.org."},
               {.name = "store",
                .type = KeyType::database,
                .help = "Where the data service keeps what it has: a directory (data.db and the jobs), "
                        "sqlite:FILE, or postgres://USER@HOST/DATABASE, which several may share. `${NAME}` "
                        "is filled from the environment.",
                .default_value = kStoreDirectory,
                .fills = Fills::when_used},
               {.name = "work_dir",
                .type = KeyType::path,
                .help = "Directory of what is this machine's own: sheets of people who judge, runs that were "
                        "started, copies of jobs under way; the store if that is a directory, else "
                        "assay-store."},
               {.name = "results",
                .type = KeyType::path_list,
                .help = "Directories of runs that the page and the results API show; `results` if there is "
                        "none named."},
               {.name = "labels",
                .type = KeyType::path,
                .help = "Directory of the sheets of people who judge cases themselves; `labels` in the store "
                        "if none is named."},
               {.name = "configs",
                .type = KeyType::path,
                .help = "Directory of configs that runs may be started from, with a token of role run."},
               {.name = "tokens",
                .type = KeyType::path,
                .help = "File with the hashed tokens of clients; without one nobody needs a token."},
               {.name = "new_token",
                .help = "Make a token for this client, add its hash to `tokens`, print it once, and end."},
               {.name = "roles",
                .help = "What the new token may do, with commas between: read, label, write, run; without "
                        "it all but run."},
               {.name = "threads",
                .type = KeyType::integer,
                .help = "Threads that answer requests, and as many event loops for the cases of jobs.",
                .default_value = 2,
                .minimum = 1,
                .maximum = 64},
               {.name = "jobs",
                .type = KeyType::integer,
                .help = "Evaluation jobs that run at once.",
                .default_value = 2,
                .minimum = 1,
                .maximum = 64},
               {.name = "max_body",
                .type = KeyType::integer,
                .help = "Largest body of a request, in bytes.",
                .default_value = 16 << 20,
                .minimum = 1024,
                .maximum = 4e9},
               {.name = "max_buffered",
                .type = KeyType::integer,
                .help = "Bytes of bodies of all requests at once, and of long answers that wait to be read; "
                        "beyond it requests are answered 503.",
                .default_value = 256 << 20,
                .minimum = 1024,
                .maximum = 1e12},
               {.name = "request_timeout",
                .type = KeyType::duration,
                .help = "A request must be complete so long after its first byte.",
                .default_value = "30s"}};
  keys.push_back(keep_key());
  // Where and how the service listens changes no answer of a job.
  for (Key& key : keys) key.decides = Decides::nothing;
  for (const Key& key : common_keys()) {
    for (const char* wanted :
         {"models", "limits", "prices", "budget", "attempts", "prompts", "http", "seed"}) {
      if (key.name == wanted) keys.push_back(key);
    }
  }
  keys.push_back({.name = "dry_run",
                  .type = KeyType::boolean,
                  .help = "Tell what `keep` would remove from the store now, and end.",
                  .decides = Decides::nothing});
  keys.push_back({.name = "quiet",
                  .type = KeyType::boolean,
                  .help = "Print nothing but errors (-q).",
                  .decides = Decides::nothing});
  keys.push_back(
      {.name = "help", .type = KeyType::boolean, .help = "This text (-h).", .decides = Decides::nothing});
  return keys;
}

int serve_command(const std::vector<std::string>& words, const Surroundings& surroundings) {
  auto arguments = parse_arguments(words, serve_keys());
  if (!arguments) return refuse(arguments.error(), surroundings);
  if (arguments->has("help")) {
    print(command_help("serve", "", surroundings.terminal));
    return kDone;
  }
  if (arguments->words.size() > 1)
    return refuse(Error{ErrorKind::usage, "expected at most one config: assay serve [CONFIG]", {}},
                  surroundings);
  const auto config = read_config(*arguments, surroundings);
  if (!config) return kBadInput;

  if (const std::string client = config->text("new_token"); !client.empty())
    return make_token(*config, client, surroundings);
  auto options = service_options(*config, surroundings);
  if (!options) return refuse(options.error(), surroundings);
  if (config->boolean("dry_run"))
    return show_prunable(options->data->store, options->data->keep, surroundings);
  // What people said and what models answered is for the service's owner alone.
  ::umask(0077);
  const bool quiet = config->boolean("quiet");
  options->tell = [quiet](const std::string& line) {
    if (!quiet) print(line + "\n");
  };
  return serve(std::move(*options), surroundings, [&](const std::string& address) {
    if (!quiet) print(fmt::format("listening on {}/data/eval\nthe page is at {}/\n", address, address));
  });
}

}  // namespace assay
