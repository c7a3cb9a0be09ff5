#include <fmt/format.h>

#include "cli/command.h"
#include "cli/help/completion.h"
#include "cli/help/help.h"

namespace assay {
namespace {

// Each asks `assay complete -- WORDS…`: a line a word; a last line `:files` says that files fit, too.
constexpr std::string_view kBash = R"(_assay() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$line" = ":files" ]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
    else
      COMPREPLY+=("$line")
      case "$line" in */ | *.) compopt -o nospace 2>/dev/null ;; esac
    fi
  done < <("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  # bash divides words at a colon: what stands before it is already written.
  local current="${COMP_WORDS[COMP_CWORD]}" i
  if [ "${COMP_WORDS[COMP_CWORD-1]}" = ":" ] || [ "$current" = ":" ]; then
    local name="$current"
    [ "$name" = ":" ] && name=""
    COMPREPLY=()
    while IFS= read -r line; do COMPREPLY+=("${line#baseline:}"); done < <("${COMP_WORDS[0]}" complete -- compare "baseline:$name" 2>/dev/null | grep '^baseline:')
  fi
}
complete -F _assay assay
)";

constexpr std::string_view kZsh = R"(#compdef assay
_assay() {
  local -a found
  local line files=0 ret=1
  while IFS= read -r line; do
    if [[ "$line" == ":files" ]]; then files=1; else found+=("$line"); fi
  done < <("$words[1]" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
  (( $#found )) && compadd -Q -- "${(@q)found}" && ret=0
  (( files )) && _files && ret=0
  return ret
}
# Loaded by its name from a directory of fpath this is the first call of the function; read by `source` it is not.
if [[ "$funcstack[1]" == "_assay" ]]; then _assay "$@"; else compdef _assay assay; fi
)";

constexpr std::string_view kFish = R"(function __assay_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (command $words[1] complete -- $words[2..-1] 2>/dev/null)
        if test "$line" = ":files"
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c assay -f -a '(__assay_complete)'
)";

}  // namespace

int completion_command(const std::vector<std::string>& words, const Surroundings& surroundings) {
  const std::string shell = words.empty() ? "" : words.front();
  if (shell == "bash") {
    print(kBash);
  } else if (shell == "zsh") {
    print(kZsh);
  } else if (shell == "fish") {
    print(kFish);
  } else if (shell == "--help" || shell == "-h") {
    print(command_help("completion", "", surroundings.terminal));
  } else {
    return bad_input(
        {ErrorKind::usage,
         "which shell? assay completion bash|zsh|fish; for bash: source <(assay completion bash)",
         {}},
        surroundings);
  }
  return kDone;
}

int complete_command(const std::vector<std::string>& words, const Surroundings& /*surroundings*/) {
  std::vector<std::string> written = words;
  if (!written.empty() && written.front() == "--") written.erase(written.begin());
  const Completion found = complete(written);
  for (const std::string& word : found.words) print(word + "\n");
  if (found.files) print(":files\n");
  return kDone;
}

}  // namespace assay
