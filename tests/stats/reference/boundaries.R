# Boundaries by their definitions, for boundaries_test.cc. R 4.2.2, jsonlite 1.8.4.
# Run: Rscript boundaries.R > boundaries.json   (seconds)
# The mixtures are integrated over lambda numerically, so no incomplete gamma function is shared with the code.
suppressMessages(library(jsonlite))
set.seed(48)
# Weights of lambda on a log scale; the integrals are taken around the peak of what they contain.
area <- function(logf, upper) {
  grid <- upper * (1:4000) / 4001
  top <- max(logf(grid)); at <- grid[which.max(logf(grid))]
  f <- function(l) exp(logf(l) - top)
  part <- function(a, b) if (b > a) integrate(f, a, b, rel.tol = 1e-12, subdivisions = 2000)$value else 0
  log(part(0, at) + part(at, upper)) + top
}
exponential <- function(s, v, rho, c) {
  k <- rho / c^2
  w <- function(l) (k - 1) * log(1 - c * l) - k * (1 - c * l)
  psi <- function(l) (-log(1 - c * l) - c * l) / c^2
  area(function(l) w(l) + l * s - v * psi(l), 1 / c) - area(w, 1 / c)
}
poisson <- function(s, v, rho, c) {
  k <- rho / c^2
  w <- function(l) k * (c * l - exp(c * l))
  psi <- function(l) (exp(c * l) - c * l - 1) / c^2
  upper <- 12 / c
  area(function(l) w(l) + l * s - v * psi(l), upper) - area(w, upper)
}
mixtures <- lapply(1:16, function(i) {
  v <- round(rexp(1) * 150, 3); rho <- round(rexp(1) * 20 + 2, 3); c <- c(0.3, 1, 2)[1 + i %% 3]
  s <- round(runif(1, -0.4, 2.5) * sqrt(v + rho), 3); alpha <- c(.05, .01)[1 + i %% 2]
  root <- function(f) uniroot(function(x) f(x, v, rho, c) + log(alpha), c(0.2, 12) * sqrt(v + rho), tol = 1e-10)$root
  c(s, v, rho, c, alpha, exponential(s, v, rho, c), root(exponential), poisson(s, v, rho, c), root(poisson))
})
# zeta(s) by its sum and Euler and Maclaurin's remainder.
zeta <- function(s) { n <- 1e5; sum((1:n)^-s) + n^(1 - s) / (s - 1) - n^-s / 2 + s * n^(-s - 1) / 12 }
stitched <- lapply(1:8, function(i) {
  v <- round(rexp(1) * 300, 3); first <- round(rexp(1) * 20 + 1, 3); c <- c(0, 0.5, 3)[1 + i %% 3]
  power <- c(1.4, 2)[1 + i %% 2]; eta <- c(2, 1.5)[1 + i %% 2]; alpha <- c(.05, .2)[1 + i %% 2]
  from <- max(v, first)
  l <- power * log(log(eta * from / first)) + log(zeta(power) / (alpha * log(eta)^power))
  k1 <- (eta^.25 + eta^-.25) / sqrt(2); k2 <- (sqrt(eta) + 1) / 2
  c(v, alpha, first, c, power, eta, sqrt(k1^2 * from * l + k2^2 * c^2 * l^2) + k2 * c * l)
})
# The least C, with tolerances far below those of the published value.
distribution <- lapply(list(c(1000, 100, .05, .85), c(100, 100, .05, .85), c(5000, 32, .01, .85), c(1000, 100, .05, 1), c(400, 1, .2, .8)), function(p) {
  A <- p[4]
  error <- function(C) {
    most <- uniroot(function(e) sqrt(e / 2) + sqrt(2 * (e - 1) / C) - A, c(1, 2 * A^2), tol = 1e-14)$root
    f <- function(e) { g <- 2 / e * (A - sqrt(2 * (e - 1) / C))^2; ifelse(g <= 1, 1e9, log(4) - g * C + log1p(1 / ((g - 1) * log(e)))) }
    optimize(f, c(1 + 1e-12, most), tol = 1e-12)$objective
  }
  C <- uniroot(function(C) error(C) - log(p[3]), c(.5, 60), tol = 1e-13)$root
  c(p, A * sqrt((log(1 + log(p[1] / p[2])) + C) / p[1]))
})
cat(toJSON(list(mixtures = mixtures, stitched = stitched, distribution = distribution), auto_unbox = TRUE, digits = 12), "\n", sep = "")
