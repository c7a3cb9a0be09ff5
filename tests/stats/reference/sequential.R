# Confidence sequences by their definitions, for sequential_test.cc. R 4.2.2, jsonlite 1.8.4.
# Run: Rscript sequential.R > sequential.json   (seconds)
suppressMessages(library(jsonlite))
set.seed(31)
alpha <- 0.05
# The set of m that were never excluded up to each of the asked times, from a grid ten times finer than the code's.
betting <- function(x, N = NULL, times) {
  m <- seq(0, 1, length.out = 10001)
  t <- seq_along(x); S <- c(0, cumsum(x)[-length(x)])
  mu <- (0.5 + cumsum(x)) / (t + 1)
  v <- (0.25 + cumsum((x - mu)^2)) / (t + 1)
  lambda <- sqrt(2 * log(2 / alpha) / (c(0.25, v[-length(v)]) * t * log(1 + t)))
  up <- down <- rep(0, length(m)); alive <- rep(TRUE, length(m)); out <- list()
  for (i in t) {
    mt <- if (is.null(N)) m else (N * m - S[i]) / (N - i + 1)
    alive <- alive & mt > -1e-9 & mt < 1 + 1e-9
    mt <- pmin(pmax(mt, 0), 1)
    up <- up + log(1 + pmin(lambda[i], 0.5 / mt) * (x[i] - mt))
    down <- down + log(1 - pmin(lambda[i], 0.5 / (1 - mt)) * (x[i] - mt))
    alive <- alive & (exp(up) + exp(down)) / 2 < 1 / alpha
    if (!is.null(N)) alive <- alive & N * m > S[i] + x[i] - 1e-9 & N * m < S[i] + x[i] + N - i + 1e-9
    if (i %in% times) out[[length(out) + 1]] <- c(i, range(m[alive]))
  }
  out
}
pop <- rbinom(300, 1, 0.35); likert <- (sample(1:5, 400, TRUE, c(1, 1, 2, 5, 6)) - 1) / 4; smooth <- round(rbeta(500, 6, 2), 4)
shuffled <- sample(pop)
bets <- list(
  list(x = rbinom(300, 1, 0.9), N = NULL, times = c(1, 10, 50, 300)),
  list(x = likert, N = NULL, times = c(5, 40, 400)),
  list(x = smooth, N = NULL, times = c(20, 100, 500)),
  list(x = shuffled[1:280], N = 300, times = c(10, 100, 200, 280)),
  list(x = smooth[1:400], N = 500, times = c(50, 250, 400)))
bets <- lapply(bets, function(b) list(x = b$x, population = if (is.null(b$N)) 0 else b$N, intervals = betting(b$x, b$N, b$times)))
# Beta mixtures.
mixtures <- lapply(1:20, function(i) {
  s <- rpois(1, 40); f <- rpois(1, 30); p <- runif(1, .1, .9); a <- rexp(1) + .2; b <- rexp(1) + .2
  two <- lbeta(a + s, b + f) - lbeta(a, b) - s * log(p) - f * log(1 - p)
  above <- two + pbeta(p, a + s, b + f, lower.tail = FALSE, log.p = TRUE) - pbeta(p, a, b, lower.tail = FALSE, log.p = TRUE)
  c(s, f, p, a, b, two, above)
})
best_rho <- function(v, a) v / (2 * log(1 / a) + log(1 + 2 * log(1 / a)))
bernoulli <- lapply(1:12, function(i) {
  n <- c(5, 30, 200, 2000)[1 + i %% 4]; s <- rbinom(1, n, runif(1, .2, .8)); a <- c(.05, .1)[1 + i %% 2]; topt <- c(20, 100, 1000)[1 + i %% 3]
  k <- max(best_rho(topt, a) - 1, 1e-3)
  g <- function(p) lbeta(k * p + s, k * (1 - p) + n - s) - lbeta(k * p, k * (1 - p)) - s * log(p) - (n - s) * log(1 - p) + log(a)
  solve <- function(lo, hi) if (g(lo) * g(hi) > 0) NA else uniroot(g, c(lo, hi), tol = 1e-12)$root
  e <- 1e-9
  low <- if (s == 0) 0 else solve(e, s / n); high <- if (s == n) 1 else solve(s / n, 1 - e)
  c(s, n, 1 - a, topt, if (is.na(low)) 0 else low, if (is.na(high)) 1 else high)
})
boundaries <- lapply(1:12, function(i) {
  v <- rexp(1) * 200; rho <- rexp(1) * 30 + .1; a <- runif(1, .01, .2)
  two <- sqrt((v + rho) * log((v + rho) / (rho * a^2)))
  h <- function(s) .5 * log(4 * rho / (v + rho)) + s^2 / (2 * (v + rho)) + pnorm(s / sqrt(v + rho), log.p = TRUE) + log(a)
  c(v, rho, a, two, uniroot(h, c(-5 * sqrt(v + rho), two), tol = 1e-12)$root)
})
cat(toJSON(list(betting = bets, mixtures = mixtures, bernoulli = bernoulli, boundaries = boundaries), auto_unbox = TRUE, digits = 10), "\n", sep = "")
