// Tells whoever listens when a run changes, as server-sent events. One thread looks at the run directories
// for all listeners, and only while there are any. A listener that reads slowly gets the newest state of each
// run when it reads on: what waits for it is never more than one event per run.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "net/http/http_server.h"
#include "runs/catalogue/catalogue.h"

namespace assay {

class RunEvents {
 public:
  // `catalogue` must outlive it.
  explicit RunEvents(RunCatalogue& catalogue,
                     std::chrono::milliseconds every = std::chrono::milliseconds(500));
  RunEvents(const RunEvents&) = delete;
  RunEvents& operator=(const RunEvents&) = delete;
  ~RunEvents();

  // Begins the stream of a listener: all runs, or the one of that id. It is told first what is running, or
  // how its one run is. It ends when `allowed` says no, which is asked again and again; empty: never. False
  // if there are too many listeners.
  bool listen(const std::shared_ptr<Responder>& responder, std::string run,
              std::function<bool()> allowed = {});
  // Ends all streams and takes no more listeners.
  void stop();
  std::size_t listeners() const;

 private:
  using Clock = std::chrono::steady_clock;
  using Event = std::shared_ptr<const std::string>;  // as it goes out
  class Listener;
  struct Told {
    std::shared_ptr<const CataloguedRun> run;
    Clock::time_point at;
  };
  static constexpr std::size_t kMostListeners = 1000;

  void watch();
  void look(const std::vector<std::shared_ptr<Listener>>& listeners);
  std::map<std::string, Event> changes(const RunList& list, Clock::time_point now);

  RunCatalogue& catalogue_;
  std::chrono::milliseconds every_;
  // Of the watching thread.
  std::map<std::string, Told> told_;
  bool looked_ = false;            // told_ is of a look
  Clock::time_point last_sign_{};  // when listeners last heard that the stream lives

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::shared_ptr<Listener>> listeners_;
  bool closing_ = false;
  std::thread thread_;  // last: it uses everything above
};

}  // namespace assay
