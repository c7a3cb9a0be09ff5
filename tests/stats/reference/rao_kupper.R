# Rao and Kupper's model by its likelihood, for rao_kupper_test.cc. R 4.2.2, jsonlite 1.8.4.
# Run: Rscript rao_kupper.R > rao_kupper.json   (seconds)
# The maximum is found by nlm and polished by Newton's method on numerical derivatives of the scores, which are
# themselves numerical derivatives of P(a), P(b) and 1 - P(a) - P(b): nothing is shared with the code.
suppressMessages(library(jsonlite))
set.seed(1967)
simulate <- function(n, players, clusters, theta) {
  pair <- t(replicate(n, sample(players, 2)))
  d <- data.frame(a = pair[, 1], b = pair[, 2], first = sample(c(-1, 1), n, replace = TRUE),
                  length = round(rnorm(n, 0, 2), 2), cluster = sample(clusters, n, replace = TRUE))
  strength <- seq(-0.8, 0.8, length.out = players)
  x <- strength[d$a] - strength[d$b] + 0.4 * d$first + 0.2 * d$length + rnorm(clusters, 0, 0.5)[d$cluster]
  u <- runif(n)
  d$winner <- ifelse(u < plogis(x - log(theta)), "a", ifelse(u > 1 - plogis(-x - log(theta)), "b", "tie"))
  d
}
design <- function(d, players, extra) {
  x <- sapply(2:players, function(k) (d$a == k) - (d$b == k))
  if (extra) x <- cbind(x, d$first, d$length)
  x
}
rows <- function(beta, d, x) {
  k <- length(beta)
  eta <- as.vector(x %*% beta[-k]); theta <- exp(beta[k])
  pa <- exp(eta) / (exp(eta) + theta); pb <- 1 / (1 + theta * exp(eta))
  log(ifelse(d$winner == "a", pa, ifelse(d$winner == "b", pb, 1 - pa - pb)))
}
# Fourth-order central differences.
slope <- function(f, at, i, h = 1e-3) {
  e <- replace(0 * at, i, h)
  (8 * (f(at + e) - f(at - e)) - (f(at + 2 * e) - f(at - 2 * e))) / (12 * h)
}
fit <- function(d, x) {
  start <- c(rep(0, ncol(x)), log(1.8))
  total <- function(b) -sum(rows(b, d, x))
  # A trial step may leave no room for ties.
  beta <- suppressWarnings(nlm(total, start, gradtol = 1e-10, steptol = 1e-10, iterlim = 500)$estimate)
  scores <- function(b) sapply(seq_along(b), function(i) slope(function(p) rows(p, d, x), b, i))
  gradient <- function(b) colSums(scores(b))
  hessian <- function(b) sapply(seq_along(b), function(i) slope(gradient, b, i))
  for (step in 1:4) beta <- beta - solve(hessian(beta), gradient(beta))
  bread <- solve(-hessian(beta)); bread <- (bread + t(bread)) / 2
  sums <- rowsum(scores(beta), d$cluster); g <- nrow(sums)
  list(data = d, coefficients = beta, se = sqrt(diag(bread)),
       clustered_se = sqrt(diag(bread %*% crossprod(sums) %*% bread) * g / (g - 1)), log_likelihood = -total(beta),
       covariance = bread)
}
plain <- simulate(200, 4, 30, 1.8)
extra <- simulate(220, 4, 30, 2.5)
cat(toJSON(list(made_with = R.version.string, plain = fit(plain, design(plain, 4, FALSE)),
                seat_and_length = fit(extra, design(extra, 4, TRUE))),
           digits = 12, auto_unbox = TRUE, dataframe = "columns"), "\n", sep = "")
