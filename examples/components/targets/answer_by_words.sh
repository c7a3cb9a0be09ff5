#!/bin/sh
# Answers the question in INPUT with the paragraph of search_corpus.tsv that shares most words with it, and prints
# {"llm_answer": "...", "structured_contexts": [...]}.

LC_ALL=C
export LC_ALL

here=$(dirname "$0")
exec awk -f "$here/rank_by_words.awk" -f "$here/answer_by_words.awk" "$here/search_corpus.tsv"
