# The same as bench/bootstrap_speed.cc with R's boot: 10,000 BCa draws of the mean of 10,000 rows in 2,000 clusters,
# rows summed by cluster first. Needs r-base-core and r-cran-boot. Run: Rscript bench/bootstrap_speed.R
suppressMessages(library(boot))
i <- 0:9999
mixed <- (i * 7919 + (i %/% 5) * 104729) %% 10007
value <- (mixed * mixed) %% 10007 / 10007
cluster <- i %/% 5
set.seed(1)
time <- system.time({
  sums <- cbind(tapply(value, cluster, sum), tapply(value, cluster, length))
  ratio <- function(d, rows) sum(d[rows, 1]) / sum(d[rows, 2])
  out <- boot(sums, ratio, R = 10000)
  # The jackknife by sums; boot's own default (a regression over all draws) takes longer still.
  jack <- (sum(sums[, 1]) - sums[, 1]) / (sum(sums[, 2]) - sums[, 2])
  ci <- boot.ci(out, type = "bca", L = mean(jack) - jack)
})
cat(sprintf("R boot %s, 2,000 clusters: %.3f s, mean %.6f, BCa %.6f to %.6f\n", packageVersion("boot"), time[["elapsed"]],
            out$t0, ci$bca[4], ci$bca[5]))
