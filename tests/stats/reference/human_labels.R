# PPI, PPI++ and Rogan–Gladen by their definitions, for human_labels_test.cc. R 4.2.2, jsonlite 1.8.4.
# The weight λ of the weighted estimate is found by numerical minimisation of the variance.
# Run: Rscript human_labels.R > human_labels.json
suppressMessages(library(jsonlite))
set.seed(77)
pvar <- function(x) mean((x - mean(x))^2)
plain <- lapply(1:6, function(i) {
  n <- c(8, 20, 60)[1 + i %% 3]; N <- c(50, 300)[1 + i %% 2]
  truth <- runif(n + N); y <- round(truth + rnorm(n + N, sd = .2), 3); f <- round(.3 + .6 * truth + rnorm(n + N, sd = c(.1, .8)[1 + i %% 2]), 3)
  Y <- y[1:n]; F <- f[1:n]; U <- f[-(1:n)]
  lambda <- min(1, max(0, (mean(Y * F) - mean(Y) * mean(F)) / ((1 + n / N) * var(f))))
  one <- function(l) {
    v1 <- l^2 * pvar(U) / N; v2 <- pvar(Y - l * F) / n; est <- l * mean(U) + mean(Y - l * F)
    s1 <- l^2 * var(U) / N; s2 <- var(Y - l * F) / n; df <- (s1 + s2)^2 / (s1^2 / (N - 1) + s2^2 / (n - 1))
    c(est, est + c(-1, 1) * qnorm(.975) * sqrt(v1 + v2), est + c(-1, 1) * qt(.975, df) * sqrt(s1 + s2))
  }
  list(human = Y, judge = F, judge_only = U, lambda = lambda, ppi = one(1), ppi_plus_plus = one(lambda))
})
weighted <- lapply(1:4, function(i) {
  M <- c(120, 400)[1 + i %% 2]; cluster <- if (i <= 2) seq_len(M) else sample(1:40, M, TRUE)
  truth <- rbinom(M, 1, .6); f <- round(ifelse(truth == 1, rbeta(M, 5, 2), rbeta(M, 2, 4)), 3)
  p <- round(.1 + .5 * f, 3); lab <- runif(M) < p
  w <- ifelse(lab, 1 / p, 0); w <- w / mean(w)
  psi <- function(l) { d <- truth - l * f; l * (f - mean(f)) + w * (d - sum(w * d) / M) }
  v <- function(l) { s <- tapply(psi(l), cluster, sum); sum(s^2) / M^2 }
  l <- optimize(v, c(0, 1), tol = 1e-10)$minimum
  est <- l * mean(f) + sum(w * (truth - l * f)) / M
  C <- length(unique(cluster)); cc <- if (i <= 2) 1 else C / (C - 1)
  list(judge = f, probability = p, human = ifelse(lab, truth, -1), cluster = cluster, lambda = l,
       estimate = c(est, est + c(-1, 1) * qnorm(.975) * sqrt(v(l) * cc)))
})
rg <- lapply(1:8, function(i) {
  n <- 500; m1 <- 80; m0 <- 60; x <- rbinom(1, n, .6); a <- rbinom(1, m1, .85); b <- rbinom(1, m0, .8)
  p <- x / n; q1 <- a / m1; q0 <- b / m0; th <- (p + q0 - 1) / (q0 + q1 - 1)
  se <- sqrt(p * (1 - p) / n + (1 - th)^2 * q0 * (1 - q0) / m0 + th^2 * q1 * (1 - q1) / m1) / (q0 + q1 - 1)
  c(n, x, m1, a, m0, b, th, th - qnorm(.975) * se, th + qnorm(.975) * se)
})
cat(toJSON(list(plain = plain, weighted = weighted, rogan_gladen = rg), auto_unbox = TRUE, digits = 9), "\n", sep = "")
