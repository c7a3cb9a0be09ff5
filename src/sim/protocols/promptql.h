// The simulated model behind PromptQL's API (models/promptql.h): what is wrong with a request, and one reply
// to one that is well formed, decided by nothing but the seed and the request.
//
// A mediocre attempt from the tables that the request brings as artifacts: it takes the one that shares most
// words with the message, keeps the kinds ("open") and the number of rows ("last 20") that the message says,
// orders by a number, and errs for the share `noise` of rows. Without a table its rows are made up. The
// result is an artifact under the identifier that the message names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/json/json.h"
#include "models/chat.h"
#include "sim/answers/answer.h"
#include "sim/protocols/wire.h"

namespace assay::sim {

// What the real service says in `detail` of a 422, {loc, msg, type} each; empty if the request is well
// formed. Fields that the version does not have are refused, and `stream: true`, which is not simulated.
JsonArray promptql_problems(const Json& body);

// {thread_id, assistant_actions, modified_artifacts}. Takes any body: what is missing is left out of account.
// Keys in the request do not count, so that whoever asks gets the same answer. Thread-safe.
Json promptql_reply(const Json& body, const SimOptions& options);
// The form of a reply that consists of one message.
Json promptql_message(std::string_view text, const Json& body);

// Says in the reply who gave it, as `model`, which no real service has there: figures that rest on it can be
// told from real ones, also over HTTP.
void sign_promptql(Json& reply);

// The request as a conversation, for scripts and for counting.
ChatRequest promptql_conversation(const Json& body);

// The identifier under which the message wants its result; "result" if it names none.
std::string wanted_identifier(std::string_view message);

// Well-formed JSON that is no reply.
void spoil_promptql(Json& reply);
// As a reply that breaks off after its plan: nothing was run, so there is no artifact.
void cut_promptql(Json& reply);

std::string promptql_error_body(const WireError& error);

}  // namespace assay::sim
