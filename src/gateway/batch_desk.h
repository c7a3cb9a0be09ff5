// Where requests are handed in that may wait: they are gathered, made into a batch at the provider, and each
// is answered when its batch is. A batch is followed from the moment when it is meant to be made
// (batch_book.h) until its answers have been handed out; one of an earlier sitting is taken up when one of
// its requests is asked for again.
//
// Belongs to one run and to the gateway's home loop. Nothing here decides whether a request is tried again:
// what failed in a batch is told to whoever handed it in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/task.h"
#include "gateway/batch_book.h"
#include "models/batch/batch_client.h"
#include "net/event_loop.h"

namespace assay {

struct BatchOptions {
  std::size_t most_requests = 10'000;        // of one batch, if the provider allows as many
  Duration wait = std::chrono::seconds(30);  // that requests wait for others; a quarter of it if none come
  Duration poll = std::chrono::seconds(60);  // the longest time between two looks at a batch
  int tries = 5;                             // of an exchange with the provider
};

class BatchDesk {
 public:
  // `loop` and `book` must outlive it. `kept` are the batches of earlier sittings, the oldest first. `broken`
  // hears that the book cannot be written.
  BatchDesk(EventLoop& loop, BatchOptions options, BatchBook& book, std::vector<KeptBatch> kept,
            std::function<void(Error)> broken);
  BatchDesk(const BatchDesk&) = delete;
  BatchDesk& operator=(const BatchDesk&) = delete;
  ~BatchDesk();

  // What the provider answers to one request, some time later. `item` is what it is known by.
  Task<Result<HttpResponse>> hand_in(BatchedModel& model, std::string item, std::string body);

  // What is gathered is handed in now: nothing will join it.
  void hurry();
  // Whoever waits is told so, and nothing more is begun. Batches that were made go on at the provider.
  void stop();
  // When no batch is just being made, so that the id of every one is kept.
  Task<void> close();

  // "batch of 40: 12 done"; empty if nothing waits here.
  std::string progress() const;
  // Batches that were made and have not been read to their end.
  struct Open {
    std::vector<std::string> ids;
    std::size_t requests = 0;
  };
  Open open() const;

 private:
  using Done = std::function<void(Result<HttpResponse>)>;
  struct Order {
    std::string body;
    Done done;
  };
  // What is gathered for the next batch of a model.
  struct Tray {
    std::map<std::string, Order> orders;  // by item
    std::size_t bytes = 0;
    Clock::time_point first;
    Clock::time_point last;
    EventLoop::TimerId timer = 0;
  };
  // A batch from its intent to its answers.
  struct Course {
    BatchIntent intent;
    BatchedModel* model = nullptr;  // null: of an earlier sitting, and not asked for yet
    std::string id = {};
    bool intended = false;  // it is in the book
    // Not made by what is running now: of an earlier sitting, or it is not known whether it was made. What
    // has no answer in it is asked anew.
    bool earlier = false;
    bool running = false;
    bool over = false;  // nothing more comes of it
    std::int64_t done = 0;
    std::map<std::string, Order> waiting = {};  // by item
    std::optional<Task<void>> work = {};
  };
  class Making;

  void receive(BatchedModel& model, std::string item, Order order);
  void gather(BatchedModel& model, std::string item, Order order);
  void look_at_tray(BatchedModel& model);
  void send_tray(BatchedModel& model);
  void follow(Course& course);
  // Ends the wait of everyone who waits for it.
  static void tell_all(Course& course, const Result<HttpResponse>& answer);
  // What waits for it goes into the next batch.
  void hand_back(Course& course);
  // Its requests are not in it any more.
  void let_go(Course& course);

  // The course of a batch (batch_course.cc).
  Task<void> run(Course& course);
  // Whether there is a batch.
  Task<Result<bool>> make(Course& course);
  Task<Result<bool>> create(Course& course);
  Task<Result<bool>> find(Course& course);
  Task<Result<bool>> is_ours(const Course& course, const BatchState& state);
  Task<Status> keep_id(Course& course, std::string id);
  Task<Status> await_answers(Course& course);
  Task<Status> read_answers(Course& course, std::vector<std::string> paths);
  void answer(Course& course, BatchResult result);
  bool is_known(const std::string& id) const;

  EventLoop& loop_;
  BatchOptions options_;
  BatchBook& book_;
  std::function<void(Error)> broken_;
  std::map<BatchedModel*, Tray> trays_;
  std::map<std::string, Course*, std::less<>> held_;  // by item: the batch that has or will have its answer
  bool stopped_ = false;
  int making_ = 0;
  std::function<void(bool)> closed_;  // somebody waits until none is being made
  std::list<Course> courses_;         // last: their tasks use what is above
};

}  // namespace assay
