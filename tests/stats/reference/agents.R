# pass@k and pass^k by binomial coefficients, for agents_test.cc. R 4.2.2, jsonlite 1.8.4.
# Run: Rscript agents.R > agents.json
suppressMessages(library(jsonlite))
set.seed(9)
rows <- lapply(1:40, function(i) {
  n <- sample(1:60, 1); c <- sample(0:n, 1); k <- sample(1:n, 1)
  list(n, c, k, 1 - choose(n - c, k) / choose(n, k), choose(c, k) / choose(n, k))
})
cat(toJSON(rows, auto_unbox = TRUE, digits = 12), "\n", sep = "")
