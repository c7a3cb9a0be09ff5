// AWS Signature Version 4, as requests to AWS prove who sent them: a keyed hash over method, path, query,
// headers and body. Pure; the clock is handed in.
//
// Not libcurl's (CURLOPT_AWS_SIGV4): the one of Debian 12 (7.88) signs the path as it is written, where AWS
// hashes it encoded once more, so that every model whose id has a colon (…-v1:0) would be refused.
#pragma once

#include <string>
#include <string_view>

#include "core/time.h"
#include "net/http/http.h"

namespace assay {

struct AwsKeys {
  std::string id = {};
  std::string secret = {};
  std::string session = {};  // of temporary keys; may be empty
};

struct AwsScope {
  std::string region;   // "eu-central-1"
  std::string service;  // "bedrock"
};

// What is signed of a request.
struct AwsRequest {
  std::string_view method;
  std::string_view path;   // as it is sent, percent-encoded
  std::string_view query;  // as it is sent, without "?"
  std::string_view host;   // with the port if it is in the URL
  std::string_view body;
};

// The headers to send in addition: X-Amz-Date, X-Amz-Security-Token if there is a session, Authorization.
Headers aws_signature(const AwsRequest& request, const AwsKeys& keys, const AwsScope& scope, WallTime now);

// For whoever receives a request: the value of Authorization that these keys give, with the headers that it
// names, at the time that it names. `headers` are those of the request.
std::string aws_authorization(const AwsRequest& request, const Headers& headers, const AwsKeys& keys,
                              std::string_view authorization);

// "eu-central-1" of "bedrock-runtime.eu-central-1.amazonaws.com"; empty if the host names none.
std::string aws_region(std::string_view host);

}  // namespace assay
