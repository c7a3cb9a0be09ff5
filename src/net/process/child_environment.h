// Which of our environment variables a child process gets. Ours hold the API keys of every model: a program
// that a model drives, or that was downloaded, has no use for them.
#pragma once

#include <string_view>

namespace assay {

enum class InheritedVariables {
  all,   // for programs of the user's own
  safe,  // what programs need to run and to reach the network: see safe_to_inherit()
};

// PATH, HOME and what else says who and where the user is, language, terminal, time zone, directories
// (XDG_*), proxies, certificate authorities, and Node's and npm's settings but for passwords and tokens. A
// proxy's own password may stand in its variable; without it the child would not reach the network.
bool safe_to_inherit(std::string_view name);

}  // namespace assay
