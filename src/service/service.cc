#include "service/service.h"

#include <optional>
#include <utility>

#include "core/file.h"
#include "net/event_loop.h"
#include "service/data/data_routes.h"
#include "service/data/jobs.h"
#include "service/http/access.h"
#include "service/http/routes.h"
#include "service/page/page_routes.h"
#include "service/results/label_routes.h"
#include "service/results/result_routes.h"
#include "service/results/start_routes.h"
#include "service/status/status_routes.h"
#include "store/data/data_store.h"

namespace assay {
namespace {

// Threads that read runs, and as many that read what is stored: some may wait for a large one while others
// read small ones.
constexpr int kReaders = 4;

// The store of the data service, if runs are kept there, too.
std::optional<StoreAddress> shared_store(const ServiceOptions& options) {
  const bool shared = options.data && options.data->store.kind() == StoreAddress::Kind::postgres;
  return shared ? std::optional(options.data->store) : std::nullopt;
}

class WholeService final : public Service {
 public:
  explicit WholeService(const ServiceOptions& options)
      : results_(options.results, shared_store(options), kReaders) {}
  WholeService(const WholeService&) = delete;
  WholeService& operator=(const WholeService&) = delete;
  // Whoever may still be reading for an answer reads with everything below.
  ~WholeService() override {
    server_.reset();
    results_.readers.stop();
    data_readers_.stop();
  }

  Status begin(ServiceOptions options) {
    std::vector<std::vector<Route>> tables = {page_routes(page_),
                                              result_routes(results_, events_,
                                                            {.configs = !options.configs.empty(),
                                                             .starts = !options.started.empty(),
                                                             .data = options.data.has_value()})};
    if (auto opened = open_labels(options.labels); !opened) return opened;
    if (labelling_.sheets != nullptr) tables.push_back(label_routes(results_, labelling_));
    if (auto opened = open_starts(options); !opened) return opened;
    if (starts_.runs != nullptr) tables.push_back(start_routes(results_, starts_));
    Counted counted{.requests = [this] { return routes_ == nullptr ? nullptr : &routes_->counts(); },
                    .connections =
                        [this] {
                          return server_ == nullptr ? std::pair<std::size_t, std::uint64_t>()
                                                    : std::pair(server_->connections(), server_->accepted());
                        },
                    .results = &results_,
                    .events = &events_};
    if (options.data) {
      if (auto opened = open_data(options); !opened) return opened;
      retention_.emplace(options.data->keep, options.data->store, *store_,
                         JobFiles(jobs_directory(*options.data), options.data->store, *store_), options.tell);
      tables.push_back(
          reading_on(data_readers_, joined({data_routes(*store_, *jobs_), retention_routes(*retention_)})));
      counted.store = store_.get();
      counted.store_file = data_file_of(options.data->store);
    }
    tables.push_back(status_routes(counted));
    tables.push_back(nowhere_routes(page_));
    routes_ = std::make_unique<Routes>(joined(std::move(tables)), std::move(options.tokens),
                                       Access(options.http.host, options.names, options.cors));
    // Strangers without a token must not keep the jobs from their journals.
    options.http.max_connections = raise_open_file_limit() / 2;
    options.http.admit = [this](ServerRequest& head) { return routes_->admit(head); };
    auto server = HttpServer::start(
        options.http, [this](ServerRequest request, const std::shared_ptr<Responder>& responder) {
          routes_->answer(std::move(request), responder);
        });
    if (!server) return fail(std::move(server.error()));
    server_ = std::move(*server);
    if (retention_) retention_->begin();
    return {};
  }

  std::uint16_t port() const override { return server_->port(); }

  // Nothing new; the jobs' requests in flight and whoever waits for them; the answers under way.
  void stop(std::chrono::nanoseconds patience) override {
    server_->refuse_new();
    events_.stop();
    if (jobs_ != nullptr) jobs_->stop();
    (void)server_->drain(patience);
  }

 private:
  // Copies for the time of the work are not to be taken for the jobs of a store that is a directory.
  static std::string jobs_directory(const DataOptions& data) {
    const bool copies = data.store.kind() == StoreAddress::Kind::postgres;
    return data.directory + (copies ? "/job-copies" : "/jobs");
  }

  Status open_data(const ServiceOptions& options) {
    const std::string& directory = options.data->directory;
    if (auto made = make_directories(directory); !made) return made;
    auto store = DataStore::open(options.data->store);
    if (!store) return fail(std::move(store.error()));
    store_ = std::move(*store);
    auto jobs = Jobs::start({.directory = jobs_directory(*options.data),
                             .at_once = options.data->jobs,
                             .config = options.config,
                             .environment = options.environment,
                             .store = options.data->store},
                            *store_);
    if (!jobs) return fail(std::move(jobs.error()));
    jobs_ = std::move(*jobs);
    return {};
  }

  Status open_labels(const std::string& directory) {
    if (directory.empty()) return {};
    auto sheets = labels::Sheets::open(directory);
    if (!sheets) return fail(std::move(sheets.error()));
    labelling_.sheets = std::move(*sheets);
    return {};
  }

  Status open_starts(const ServiceOptions& options) {
    if (options.started.empty()) return {};
    if (!options.configs.empty()) {
      auto configs = ConfigFolder::open(options.configs);
      if (!configs) return fail(std::move(configs.error()).with("key", "configs"));
      starts_.configs.emplace(std::move(*configs));
    }
    auto runs = StartedRuns::open(options.results.front(), options.started);
    if (!runs) return fail(std::move(runs.error()));
    starts_.runs = std::move(*runs);
    return {};
  }

  // Each uses those above it, and ends before them. The routes count answers, the last of which a store or a
  // job gives while it ends.
  std::unique_ptr<Routes> routes_;
  PageFiles page_{page_files()};
  Labelling labelling_;  // its sheets are read by the results' threads
  Results results_;
  RunEvents events_{results_.catalogue};
  RunStarts starts_;
  std::unique_ptr<DataStore> store_;
  std::unique_ptr<Jobs> jobs_;
  Readers data_readers_{kReaders};
  std::unique_ptr<HttpServer> server_;
  std::optional<Retention> retention_;
};

}  // namespace

Result<std::unique_ptr<Service>> Service::start(ServiceOptions options) {
  auto service = std::make_unique<WholeService>(options);
  if (auto begun = service->begin(std::move(options)); !begun) return fail(std::move(begun.error()));
  return service;
}

}  // namespace assay
