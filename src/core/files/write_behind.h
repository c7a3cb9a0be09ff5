// Files that are written while their content is still being made: who makes it hands over full buffers and
// goes on; one thread writes them in the order of the handing over. Bounded: whoever is too far ahead waits.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/sha256.h"

namespace assay {

// An open file that takes bytes one after the other, and knows the SHA-256 of what it took if that is wanted.
// The first failure is kept, and what comes after it is dropped. Belongs to one thread at a time.
class FileSink {
 public:
  enum class Hashing { none, sha256 };
  FileSink(int fd, Hashing hashing);
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;
  ~FileSink();  // closes it

  void put(std::string_view bytes);
  // Lets the kernel begin to bring what is written to the disk; waits for nothing. finish() has less to do
  // then.
  void start_flush();
  // Flushed to the disk and closed: 0, or the errno of the first failure.
  int finish();
  // Of all bytes, hex; nothing if it was not wanted. Once.
  std::optional<std::string> hash();

 private:
  friend class WriteBehind;
  int fd_;
  int error_ = 0;
  std::int64_t written_ = 0;  // bytes
  std::int64_t begun_ = 0;    // of them, on their way to the disk
  std::optional<Sha256> hash_;
  std::size_t waiting_ = 0;  // buffers that were handed over and are not written; guarded by WriteBehind
};

class WriteBehind {
 public:
  WriteBehind() = default;
  WriteBehind(const WriteBehind&) = delete;
  WriteBehind& operator=(const WriteBehind&) = delete;
  ~WriteBehind();

  // Takes the content of the buffer, which is empty then and may be used again. `sink` must outlive wait().
  void put(FileSink& sink, std::string& buffer);
  // Until all that was handed over for it is written.
  void wait(FileSink& sink);

 private:
  void work();

  struct Handed {
    FileSink* sink;
    std::string bytes;
  };
  std::mutex mutex_;
  std::condition_variable given_;
  std::condition_variable written_;
  std::deque<Handed> queue_;
  std::vector<std::string> spare_;  // buffers to be used again
  bool stopping_ = false;
  std::optional<std::thread> thread_;  // begins with the first buffer
};

}  // namespace assay
