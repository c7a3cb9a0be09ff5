# Bootstrap intervals by R's boot, for bootstrap_test.cc. R 4.2.2, boot 1.3-28.1, jsonlite 1.8.4.
# Run: Rscript bootstrap.R > bootstrap.json   (seconds)
suppressMessages({library(boot); library(jsonlite)})
set.seed(20240611)
cases <- lapply(1:6, function(i) {
  clusters <- c(15, 25, 40, 12, 60, 30)[i]
  sizes <- sample(1:6, clusters, replace = TRUE)
  cluster <- rep(seq_len(clusters), sizes)
  effect <- rgamma(clusters, shape = c(0.5, 2)[1 + i %% 2])
  value <- round(effect[cluster] + rexp(length(cluster)), 3)
  sums <- cbind(tapply(value, cluster, sum), tapply(value, cluster, length))
  ratio <- function(d, rows) sum(d[rows, 1]) / sum(d[rows, 2])
  jack <- sapply(seq_len(clusters), function(j) ratio(sums, -j))
  out <- boot(sums, ratio, R = 99999)
  L <- mean(jack) - jack
  a <- sum(L^3) / (6 * sum(L^2)^1.5)
  ci <- boot.ci(out, type = c("perc", "bca"), L = L)
  list(value = value, cluster = cluster, mean = mean(value), se = sd(out$t), acceleration = a,
       percentile = ci$percent[4:5], bca = ci$bca[4:5])
})
cat(toJSON(cases, auto_unbox = TRUE, digits = 7), "\n", sep = "")
