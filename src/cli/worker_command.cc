#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/evaluation_words.h"
#include "core/secrets/literal_secrets.h"
#include "core/visible.h"
#include "evaluations/distribution/distribution_keys.h"
#include "net/event_loop.h"
#include "net/signals.h"
#include "runs/distributed/first_contact.h"
#include "runs/distributed/queue_settings.h"
#include "worker/worker.h"

namespace assay {
namespace {

std::optional<int> whole(const Config& config, std::string_view key) {
  const auto value = config.integer(key);
  return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

Result<StoreAddress> store_address(const Config& config, const Environment& environment) {
  auto filled = fill_environment(config.text("store"), environment);
  auto address = filled ? run_store_address(*filled) : fail(std::move(filled.error()));
  if (!address) return fail(std::move(address.error()).with("key", "store"));
  return address;
}

}  // namespace

Keys worker_keys() {
  Keys keys = {
      {.name = "store",
       .type = KeyType::text,
       .help = "PostgreSQL with the runs: postgres://…, as the coordinator has it. `${NAME}` is filled from "
               "the environment.",
       .required = true,
       .fills = Fills::when_used}};
  for (Key& key : queue_keys()) {
    key.required = key.name == "queue";
    keys.push_back(std::move(key));
  }
  for (Key key :
       Keys{{.name = "run", .help = "Take cases of the run with this id only."},
            {.name = "threads",
             .type = KeyType::integer,
             .help = "Event loops that cases are spread over; by default as the run's config says, one for "
                     "each core.",
             .minimum = 1,
             .maximum = 256},
            {.name = "max_cases",
             .type = KeyType::integer,
             .help = "Cases under way here at a time, of each run; by default this worker's share of the "
                     "run's limits.",
             .minimum = 1,
             .maximum = 1'000'000},
            {.name = "exit_when_idle",
             .type = KeyType::duration,
             .help = "End when there was no open run for so long; by default it waits for the next one."},
            {.name = "quiet",
             .type = KeyType::boolean,
             .help = "Say nothing but errors.",
             .default_value = false},
            {.name = "verbose",
             .type = KeyType::boolean,
             .help = "Tell each request, without secrets.",
             .default_value = false},
            {.name = "help", .type = KeyType::boolean, .help = "This text (-h)."}})
    keys.push_back(std::move(key));
  return keys;
}

int worker_command(const std::vector<std::string>& words, const Surroundings& surroundings) {
  auto arguments = parse_arguments(words, worker_keys());
  if (!arguments) return bad_input(arguments.error(), surroundings);
  if (shown_help("worker", "", *arguments, surroundings)) return kDone;
  if (!arguments->words.empty()) {
    return bad_input(
        {ErrorKind::usage,
         fmt::format("found {}, expected flags only: assay worker --store postgres://… --queue nats://…",
                     arguments->words.front()),
         {}},
        surroundings);
  }
  ConfigSource source;
  source.flags = arguments->flags;
  source.environment = surroundings.environment;
  ResolvedConfig resolved = resolve_config(worker_keys(), source);
  if (!resolved.problems.empty()) {
    show_problems(resolved.problems, surroundings);
    return kBadInput;
  }
  const Config& config = resolved.config;
  const auto store = store_address(config, surroundings.environment);
  const auto servers = fill_environment(config.text("queue"), surroundings.environment);
  Secrets secrets(kHiddenMark);
  if (servers) add_queue_secrets(*servers, secrets);
  const auto address =
      servers ? queue_address(config, *servers) : fail(Error(servers.error()).with("key", "queue"));
  if (!store) bad_input(store.error(), surroundings);
  if (!address) return bad_input(address.error(), surroundings);
  if (!store) return kBadInput;
  store->add_secrets(secrets);
  const auto say = [&secrets](const std::string& line) {
    print_error(visible(secrets.hide_pieces(line)) + "\n");
  };
  const bool quiet = config.boolean("quiet");
  const auto tell = [say, quiet](const std::string& line) {
    if (!quiet) say(line);
  };
  const FirstContact contact{config.duration("connect_within"),
                             [say](const std::string& words) { say("warning: " + words); }};
  auto board = reach_board(*store, contact);
  if (!board) return cannot_begin(board.error(), surroundings);
  auto queue = reach_queue(*address, contact);
  if (!queue) return cannot_begin(queue.error(), surroundings);

  EventLoop loop;
  WorkerMeans means{.loop = loop,
                    .store = *store,
                    .queue = **queue,
                    .board = **board,
                    .name = make_worker_name(),
                    .environment = surroundings.environment,
                    .threads = whole(config, "threads"),
                    .most_cases = whole(config, "max_cases"),
                    .tell = tell,
                    .trace = {}};
  if (config.boolean("verbose")) means.trace = say;
  WorkerLimits limits{.only_run = config.text("run")};
  if (config.has("exit_when_idle")) limits.end_when_idle = config.duration("exit_when_idle");
  Worker worker(means, std::move(limits));
  int signals = 0;
  const SignalWatch watch(loop, [&](int) {
    // What was journaled is safe, and what was not is given to other workers when its lease ends.
    if (++signals > 1) ::_exit(kInterrupted);
    print_error("stopping: taking nothing new, finishing what is under way (again to stop at once)\n");
    worker.drain();
  });
  means.tell(fmt::format("worker {} waits for runs in {}, with the queue at {}", means.name, store->shown(),
                         address->shown()));
  const auto ended = loop.run_until_done(worker.work());
  if (!ended) {
    show_error(ended.error(), surroundings);
    return kCasesErrored;
  }
  return kDone;
}

}  // namespace assay
