# Krippendorff's alpha of sets by its definition, for label_sets_test.cc. R 4.2.2, jsonlite 1.8.4.
# Run: Rscript label_sets.R > label_sets.json   (a second)
# Sets are written as texts of letters; "" is the empty set, null an absent one.
suppressMessages(library(jsonlite))
set.seed(2006)
jaccard <- function(a, b) if (setequal(a, b)) 0 else 1 - length(intersect(a, b)) / length(union(a, b))
masi <- function(a, b) {
  if (setequal(a, b)) return(0)
  m <- if (all(a %in% b) || all(b %in% a)) 2 / 3 else if (length(intersect(a, b)) > 0) 1 / 3 else 0
  1 - (1 - jaccard(a, b)) * m
}
letters_of <- function(x) strsplit(x, "")[[1]]
alpha <- function(table, distance) {
  units <- lapply(seq_len(nrow(table)), function(i) lapply(table[i, !is.na(table[i, ])], letters_of))
  units <- units[sapply(units, length) > 1]
  pairs <- function(sets) {
    sum <- 0
    for (i in seq_along(sets)) for (j in seq_along(sets)) if (i != j) sum <- sum + distance(sets[[i]], sets[[j]])
    sum
  }
  all <- unlist(units, recursive = FALSE)
  n <- length(all)
  observed <- sum(sapply(units, function(u) pairs(u) / (length(u) - 1))) / n
  1 - observed / (pairs(all) / (n * (n - 1)))
}
draw <- function(units, raters, labels, noise, absent) {
  table <- matrix(NA_character_, units, raters)
  for (i in seq_len(units)) {
    truth <- runif(labels) < 0.4
    for (r in seq_len(raters)) {
      said <- xor(truth, runif(labels) < noise)
      if (runif(1) >= absent) table[i, r] <- paste(letters[seq_len(labels)][said], collapse = "")
    }
  }
  table
}
tables <- list(draw(12, 2, 3, .1, 0), draw(20, 3, 4, .2, .2), draw(15, 4, 3, .3, .3), draw(30, 2, 5, .05, .1), draw(10, 3, 2, .5, 0))
cat(toJSON(lapply(tables, function(t) list(units = t, jaccard = alpha(t, jaccard), masi = alpha(t, masi))),
           auto_unbox = TRUE, digits = 14, na = "null"), "\n", sep = "")
