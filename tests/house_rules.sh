#!/usr/bin/env bash
# House rules that a compiler does not check: a room includes only itself and the rooms below it, files stay one
# idea, and nothing unfinished or hidden is left behind. Usage: house_rules.sh SOURCE_DIR
set -euo pipefail
cd "${1:?source directory}"
failures=0
complain() { printf '%s\n' "$*"; failures=$((failures + 1)); }

# src/rooms.txt says which rooms a room may include; every single include is held against it.
while IFS='|' read -r room allowed job; do
  room=${room// /}
  [ -d "src/$room" ] || { complain "src/rooms.txt: there is no room $room"; continue; }
  while IFS=: read -r file other; do
    case " $room $allowed " in *" $other "*) ;; *) complain "$file: the room $room must not include the room $other" ;; esac
  done < <(grep -rEo '#include "[a-z_]+/' "src/$room" | sed -E 's|#include "([a-z_]+)/|\1|')
  job=$(sed -E 's/^ +| +$//g' <<<"$job")
  grep -qF "| \`$room\` | $job |" docs/contributing.md ||
    complain "docs/contributing.md: the table of rooms lacks the line: | \`$room\` | $job |"
done < <(grep -v '^#' src/rooms.txt)
for room in src/*/; do
  grep -qE "^$(basename "$room") " src/rooms.txt || complain "$room: not in src/rooms.txt"
done
# A folder with more than forty files is more than one idea.
while read -r folder; do
  count=$(find "$folder" -maxdepth 1 -type f | wc -l)
  [ "$count" -le 40 ] || complain "$folder: $count files; it wants folders, one per idea"
done < <(find src -type d)

# Pure rooms know no files, sockets, clocks or threads; only the bootstrap shares its draws among threads.
while read -r file; do complain "$file: src/stats is pure mathematics"; done < <(
  grep -rlE '#include <(fstream|thread|mutex|unistd\.h|sys/|chrono)' src/stats | grep -v '^src/stats/intervals/bootstrap.cc$' || true)

while read -r lines file; do
  [ "$file" = total ] || [ "$lines" -le 600 ] || complain "$file: $lines lines; is it still one idea?"
done < <(git ls-files -co --exclude-standard 'src/*.cc' 'src/*.h' 'tests/*.cc' 'tests/*.mjs' | xargs wc -l)

while IFS= read -r hit; do complain "unfinished: $hit"; done < <(
  git ls-files -co --exclude-standard src tests bench | grep -E '\.(cc|h|mjs)$' |
    xargs grep -nE 'TODO|FIXME|XXX\b[^X]|HACK|GTEST_SKIP|DISABLED_|EXPECT_TRUE\(true\)' || true)

while IFS= read -r hit; do complain "a heavy header belongs into a source: $hit"; done < <(
  grep -rnE '#include <(simdjson|boost/(asio|math/(dist|spec|quad|tools))|sqlite3|libpq-fe|yaml-cpp)' src --include='*.h' || true)

[ "$failures" -eq 0 ] || { echo "$failures house rules broken"; exit 1; }
echo "house rules kept"
