# The alternative annotator test on generated ratings, for alt_test_test.cc. R 4.2.2, jsonlite 1.8.4.
# Run: Rscript alt_test.R > alt_test.json   (a second)
# (alt_test_published.json holds the authors' data; its values stand in the test.)
suppressMessages(library(jsonlite))
set.seed(2025)
study <- function(units, raters, noise, own, absent, epsilon, alignment, fewest, clusters) {
  truth <- sample(1:5, units, TRUE)
  rate <- function(sd) pmin(5, pmax(1, round(truth + rnorm(units, 0, sd))))
  humans <- sapply(noise, rate)
  humans[matrix(runif(units * raters) < absent, units)] <- NA
  candidate <- rate(own); candidate[runif(units) < absent / 3] <- NA
  cluster <- sample(clusters, units, TRUE)
  kept <- rowSums(!is.na(humans)) >= 2 & !is.na(candidate)
  score <- function(x, rest) if (alignment == "accuracy") mean(x == rest) else -sqrt(mean((x - rest)^2))
  figures <- lapply(seq_len(raters), function(j) {
    rows <- which(kept & !is.na(humans[, j]))
    if (length(rows) < fewest) return(list(n = length(rows)))
    s <- t(sapply(rows, function(i) {
      rest <- humans[i, -j]; rest <- rest[!is.na(rest)]
      c(score(humans[i, j], rest), score(candidate[i], rest))
    }))
    s <- round(s, 9)
    d <- (s[, 1] >= s[, 2]) - (s[, 2] >= s[, 1])
    plain <- t.test(d, mu = epsilon, alternative = "less")
    sums <- rowsum(d - mean(d), cluster[rows]); g <- nrow(sums)
    t <- (mean(d) - epsilon) / (sqrt(g / (g - 1) * sum(sums^2)) / length(d))
    list(n = length(rows), difference = mean(d), t = unname(plain$statistic), p = plain$p.value,
         clustered_t = t, clustered_p = pt(t, g - 1), advantage = mean(s[, 2] >= s[, 1]))
  })
  tested <- which(sapply(figures, length) > 1)
  p <- sapply(figures[tested], `[[`, "p"); q <- sapply(figures[tested], `[[`, "clustered_p")
  list(humans = humans, candidate = candidate, clusters = cluster, epsilon = epsilon, alignment = alignment,
       fewest = fewest, raters = figures, tested = tested - 1, p_adjusted = p.adjust(p, "BY"),
       clustered_p_adjusted = p.adjust(q, "BY"), winning_rate = mean(p.adjust(p, "BY") <= .05),
       clustered_winning_rate = mean(p.adjust(q, "BY") <= .05),
       advantage = mean(sapply(figures[tested], `[[`, "advantage")))
}
studies <- list(study(80, 3, c(.6, .8, 1), .5, 0, .2, "accuracy", 30, 20),
                study(150, 5, c(.4, .5, .9, 1.2, 1.5), .6, .3, .1, "rmse", 30, 40),
                study(60, 4, c(.5, .5, .5, 2), .9, .4, .15, "accuracy", 30, 15),
                study(100, 4, c(.7, .7, .7, .7), .7, .45, .15, "rmse", 43, 30))
cat(toJSON(studies, auto_unbox = TRUE, digits = 13, na = "null"), "\n", sep = "")
