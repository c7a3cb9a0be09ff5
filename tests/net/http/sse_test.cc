#include "net/http/sse.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace assay {
namespace {

using Events = std::vector<ServerSentEvent>;

Events parse(const std::vector<std::string>& chunks) {
  ServerSentEventParser parser;
  Events events;
  for (const auto& chunk : chunks) {
    parser.feed(chunk, [&](ServerSentEvent event) { events.push_back(std::move(event)); });
  }
  return events;
}

Events message(std::string data) {
  return {{.event = "message", .data = std::move(data)}};
}

// The cases follow the HTML standard, section "Interpreting an event stream".
TEST(ServerSentEvents, AnEmptyLineEndsAnEvent) {
  EXPECT_EQ(parse({"data: one\n\ndata: two\n\n"}),
            (Events{{.event = "message", .data = "one"}, {.event = "message", .data = "two"}}));
}

TEST(ServerSentEvents, DataLinesAreJoinedWithLineFeeds) {
  EXPECT_EQ(parse({"data: a\ndata: b\n\n"}), message("a\nb"));
}

TEST(ServerSentEvents, OneSpaceAfterTheColonIsDropped) {
  EXPECT_EQ(parse({"data:x\n\n"}), message("x"));
  EXPECT_EQ(parse({"data:  x\n\n"}), message(" x"));
}

TEST(ServerSentEvents, TheEventFieldNamesTheEventAndHoldsForOneOnly) {
  EXPECT_EQ(parse({"event: delta\ndata: 1\n\ndata: 2\n\n"}),
            (Events{{.event = "delta", .data = "1"}, {.event = "message", .data = "2"}}));
}

TEST(ServerSentEvents, AnEventWithoutDataIsNone) {
  EXPECT_EQ(parse({"event: ping\n\n\n\n"}), Events{});
}

TEST(ServerSentEvents, AnEmptyDataLineIsData) {
  EXPECT_EQ(parse({"data\n\n"}), message(""));
  EXPECT_EQ(parse({"data:\ndata:\n\n"}), message("\n"));
}

TEST(ServerSentEvents, CommentsAndOtherFieldsAreSkipped) {
  EXPECT_EQ(parse({": keep-alive\nid: 7\nretry: 10\nDATA: no\ndata: yes\n\n"}), message("yes"));
}

TEST(ServerSentEvents, AllThreeLineEndsAreKnown) {
  EXPECT_EQ(parse({"data: a\r\n\r\n"}), message("a"));
  EXPECT_EQ(parse({"data: a\r\r"}), message("a"));
  EXPECT_EQ(parse({"data: a\r\n\ndata: b\r\r\n"}),
            (Events{{.event = "message", .data = "a"}, {.event = "message", .data = "b"}}));
}

TEST(ServerSentEvents, ALeadingByteOrderMarkIsDropped) {
  EXPECT_EQ(parse({"\xEF\xBB\xBF"
                   "data: a\n\n"}),
            message("a"));
  EXPECT_EQ(parse({"\xEF", "\xBB",
                   "\xBF"
                   "data: a\n\n"}),
            message("a"));
  EXPECT_EQ(parse({"data: a\n\n\xEF\xBB\xBF"
                   "data: b\n\n"}),
            message("a"));  // later it is part of the name
}

TEST(ServerSentEvents, AnUnfinishedEventIsNone) {
  EXPECT_EQ(parse({"data: a\n"}), Events{});
}

TEST(ServerSentEvents, AnyChunkingGivesTheSameEvents) {
  const std::string alphabet[] = {"data", "event",        ":",        " ", "\n", "\r", "\r\n", "\n\n",
                                  "x",    "\xEF\xBB\xBF", "\xC3\xA9", "id"};
  std::mt19937 random(20261115);  // a failure can be replayed
  std::uniform_int_distribution<std::size_t> pick(0, std::size(alphabet) - 1);
  std::size_t events_seen = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    const int pieces = std::uniform_int_distribution<int>(0, 40)(random);
    for (int i = 0; i < pieces; ++i) text += alphabet[pick(random)];
    const Events whole = parse({text});
    events_seen += whole.size();
    std::vector<std::string> bytes;
    for (const char c : text) bytes.emplace_back(1, c);
    ASSERT_EQ(parse(bytes), whole) << testing::PrintToString(text);
    std::vector<std::string> chunks;
    for (std::size_t at = 0; at < text.size();) {
      const auto size = std::uniform_int_distribution<std::size_t>(0, 7)(random);
      chunks.push_back(text.substr(at, size));
      at += size;
    }
    ASSERT_EQ(parse(chunks), whole) << testing::PrintToString(text);
  }
  EXPECT_GT(events_seen, 500U);  // the texts do contain events
}

}  // namespace
}  // namespace assay
