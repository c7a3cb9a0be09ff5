#include <cmath>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/help/help.h"
#include "net/event_loop.h"
#include "net/signals.h"
#include "sim/server.h"

namespace assay {
namespace {

// A fault rate: the flag, what happens, and where it goes.
struct Rate {
  const char* key;
  const char* help;
  double SimFaultOptions::* member;
};

constexpr Rate kRates[] = {
    {"rate_429", "Share of requests answered 429 with Retry-After.", &SimFaultOptions::rate_429},
    {"rate_500", "Share answered 500.", &SimFaultOptions::rate_500},
    {"rate_503", "Share answered 503 (529 in Anthropic's protocol).", &SimFaultOptions::rate_503},
    {"rate_drop", "Share whose connection is reset.", &SimFaultOptions::rate_drop},
    {"rate_stall", "Share that is never answered.", &SimFaultOptions::rate_stall},
    {"rate_truncate", "Share whose body breaks off.", &SimFaultOptions::rate_truncate},
    {"rate_malformed", "Share whose body is not JSON.", &SimFaultOptions::rate_malformed},
    {"rate_wrong_schema", "Share whose answer does not fit the schema.", &SimFaultOptions::rate_wrong_schema},
    {"rate_length", "Share cut off with finish reason length.", &SimFaultOptions::rate_length},
    {"rate_batch_errored", "Share of a batch's requests that end with a server error.",
     &SimFaultOptions::rate_batch_errored},
    {"rate_batch_expired", "Share of a batch's requests that expire.", &SimFaultOptions::rate_batch_expired},
};

SimServerOptions options_of(const Config& config) {
  SimServerOptions options;
  options.host = config.text("host");
  options.port = static_cast<std::uint16_t>(config.integer("port").value_or(0));
  options.threads = static_cast<int>(config.integer("threads").value_or(1));
  options.seed = static_cast<std::uint64_t>(config.integer("seed").value_or(0));
  options.noise = config.number("noise").value_or(options.noise);
  options.script = config.text("script");
  options.require_key = config.text("require_key");
  options.requests_per_minute = static_cast<std::uint64_t>(config.integer("requests_per_minute").value_or(0));
  options.max_in_flight = static_cast<std::uint64_t>(config.integer("max_in_flight").value_or(0));
  options.context_window = config.integer("context_window").value_or(0);
  options.latency = config.duration("latency");
  options.latency_spread = config.duration("latency_spread");
  options.chunk_delay = config.duration("chunk_delay");
  options.retry_after = config.number("retry_after").value_or(options.retry_after);
  options.batch_time = config.duration("batch_time");
  for (const Rate& rate : kRates) options.*rate.member = config.number(rate.key).value_or(0);
  return options;
}

}  // namespace

Keys sim_keys() {
  Keys keys = {
      {.name = "host", .help = "Address to listen on.", .default_value = "127.0.0.1"},
      {.name = "port",
       .type = KeyType::integer,
       .help = "Port; 0 takes any free one.",
       .default_value = 8099,
       .minimum = 0,
       .maximum = 65535},
      {.name = "threads",
       .type = KeyType::integer,
       .help = "Threads that answer.",
       .default_value = 1,
       .minimum = 1,
       .maximum = 64},
      {.name = "seed",
       .type = KeyType::integer,
       .help = "Seed of every answer and fault.",
       .default_value = 0,
       .minimum = 0},
      {.name = "noise",
       .type = KeyType::number,
       .help = "Share of a judge's decisions that are wrong.",
       .default_value = 0.08,
       .minimum = 0,
       .maximum = 1},
      {.name = "weak",
       .help = "What the judge lets itself be moved by, or does not see: orders, authority, figures, …, with "
               "commas between them; see docs/simulator.md."},
      {.name = "script",
       .type = KeyType::path,
       .help = "JSONL file of replies to give; see docs/simulator.md."},
      {.name = "require_key", .help = "Answer 401 to requests that do not bring this key."},
      {.name = "requests_per_minute",
       .type = KeyType::integer,
       .help = "Answer 429 beyond so many a minute.",
       .minimum = 0,
       .maximum = 1e9},
      {.name = "max_in_flight",
       .type = KeyType::integer,
       .help = "Answer 429 beyond so many at once.",
       .minimum = 0,
       .maximum = 1e6},
      {.name = "context_window",
       .type = KeyType::integer,
       .help = "Refuse prompts of more tokens, as the service does whose model they do not fit.",
       .minimum = 0,
       .maximum = 1e9},
      {.name = "latency", .type = KeyType::duration, .help = "Time before an answer.", .default_value = "0s"},
      {.name = "latency_spread",
       .type = KeyType::duration,
       .help = "How much the latency varies, both ways.",
       .default_value = "0s"},
      {.name = "chunk_delay",
       .type = KeyType::duration,
       .help = "Time between the events of a stream.",
       .default_value = "0s"},
      {.name = "batch_time",
       .type = KeyType::duration,
       .help = "Time that a batch takes; its requests have their turns within it.",
       .default_value = "0s"},
      {.name = "retry_after",
       .type = KeyType::number,
       .help = "Seconds that a 429 asks for; below 0 the header is left out.",
       .default_value = 1},
  };
  for (const Rate& rate : kRates) {
    keys.push_back(
        {.name = rate.key, .type = KeyType::number, .help = rate.help, .minimum = 0, .maximum = 1});
  }
  keys.push_back({.name = "help", .type = KeyType::boolean, .help = "This text (-h)."});
  return keys;
}

int sim_command(const std::vector<std::string>& words, const Surroundings& surroundings) {
  auto arguments = parse_arguments(words, sim_keys());
  if (!arguments) {
    show_error(arguments.error(), surroundings);
    return kBadInput;
  }
  if (arguments->has("help")) {
    print(command_help("sim", "", surroundings.terminal));
    return kDone;
  }
  const ResolvedConfig resolved = resolve_config(sim_keys(), {"", {}, arguments->flags});
  if (!resolved.problems.empty()) {
    show_problems(resolved.problems, surroundings);
    return kBadInput;
  }
  auto weak = Weaknesses::parse(resolved.config.text("weak"));
  if (!weak) return bad_input(std::move(weak.error()).with("flag", "--weak"), surroundings);
  SimServerOptions options = options_of(resolved.config);
  options.weak = *weak;
  EventLoop loop;
  auto server = start_sim(std::move(options));
  if (!server) {
    show_error(server.error(), surroundings);
    return kBadInput;
  }
  print(fmt::format("listening on {}\n", (*server)->url()));
  const SignalWatch watch(loop, [&loop](int) { loop.stop(); });
  loop.run();
  return kDone;
}

}  // namespace assay
