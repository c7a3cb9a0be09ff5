#!/bin/sh
# Searches search_corpus.tsv for the question in INPUT and prints {"actual_search_results": [...]}, best first, at most
# five. A paragraph is as good as the share of the question's words that its text and path have.

LC_ALL=C
export LC_ALL

here=$(dirname "$0")
exec awk -f "$here/rank_by_words.awk" -f "$here/search_by_words.awk" "$here/search_corpus.tsv"
