# Prints the best five paragraphs; see rank_by_words.awk.
END {
    rank()
    printf "{\"actual_search_results\": ["
    for (i = 1; i <= found && i <= 5; i++) {
        p = ranked[i]
        printf "%s{\"exact_path\": %s, \"chunk_uid\": %s, \"weighted_score\": %.4f, \"semantic_score\": %.4f}", \
            (i > 1 ? ", " : ""), quoted(path[p]), quoted(uid[p]), by_all[p], by_text[p]
    }
    print "]}"
}
