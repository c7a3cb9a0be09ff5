#include "models/providers/aws_event_stream.h"
#include "models/providers/bedrock.h"
#include "tests/fuzz/reply_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return assay::fuzz::check_bytes<assay::BedrockStream, assay::AwsEventStreamParser>(data, size,
                                                                                     assay::bedrock_reply);
}
