# Reference values for Bradley–Terry rankings, from R.
# Made with R 4.2.2 and jsonlite 1.8.4 (Debian 12: r-base-core r-cran-jsonlite). Run once; the output is kept
# beside this script:
#   Rscript ranking.R > ranking.json
# Bradley–Terry is a logistic regression on differences, Davidson's model a Poisson log-linear one with a
# nuisance level for each comparison; both from glm. The clustered errors are written out.

suppressMessages(library(jsonlite))
set.seed(20261117)

simulate <- function(n, players, clusters, tie) {
  pair <- t(replicate(n, sample(players, 2)))
  d <- data.frame(a = pair[, 1], b = pair[, 2], first = sample(c(-1, 1), n, replace = TRUE),
                  length = round(rnorm(n, 0, 2), 2), cluster = sample(clusters, n, replace = TRUE))
  strength <- seq(-0.8, 0.8, length.out = players)
  wobble <- rnorm(clusters, 0, 0.5)[d$cluster]
  x <- strength[d$a] - strength[d$b] + 0.4 * d$first + 0.2 * d$length + wobble
  weights <- cbind(exp(x / 2), exp(-x / 2), tie)
  d$winner <- apply(weights, 1, function(w) sample(c("a", "b", "tie"), 1, prob = w))
  d
}

design <- function(d, players, extra) {
  x <- sapply(2:players, function(k) (d$a == k) - (d$b == k))
  colnames(x) <- paste0("p", 2:players)
  if (extra) x <- cbind(x, seat = d$first, length = d$length)
  x
}

# Scores and information of Davidson's model (without ties: tie = 0 everywhere and no tie parameter).
clustered <- function(d, x, beta, log_nu) {
  eta <- as.vector(x %*% beta)
  nu <- if (is.null(log_nu)) 0 else exp(log_nu)
  total <- exp(eta / 2) + exp(-eta / 2) + nu
  pa <- exp(eta / 2) / total; pb <- exp(-eta / 2) / total; pt <- nu / total
  s <- c(a = 0.5, b = -0.5, tie = 0)[d$winner]
  mean <- (pa - pb) / 2
  score <- x * (s - mean)
  info <- t(x) %*% (x * ((pa + pb) / 4 - mean^2))
  if (!is.null(log_nu)) {
    score <- cbind(score, tie = (d$winner == "tie") - pt)
    cross <- -colSums(x * mean * pt)
    info <- rbind(cbind(info, cross), c(cross, sum(pt * (1 - pt))))
  }
  bread <- solve(info)
  sums <- rowsum(score, d$cluster)
  clusters <- nrow(sums)
  sqrt(diag(bread %*% crossprod(sums) %*% bread) * clusters / (clusters - 1))
}

plain <- function(extra) {
  d <- simulate(160, 5, 25, 0)
  x <- design(d, 5, extra)
  fit <- glm((d$winner == "a") ~ x - 1, family = binomial, control = glm.control(epsilon = 1e-14, maxit = 100))
  list(data = d, coefficients = as.vector(coef(fit)), se = as.vector(sqrt(diag(vcov(fit)))),
       clustered_se = as.vector(clustered(d, x, coef(fit), NULL)), log_likelihood = as.numeric(logLik(fit)))
}

davidson <- function(extra) {
  d <- simulate(180, 4, 30, 0.8)
  n <- nrow(d)
  x <- design(d, 4, extra)
  long <- rbind(x / 2, -x / 2, 0 * x)
  tie <- rep(c(0, 0, 1), each = n)
  game <- factor(rep(seq_len(n), 3))
  y <- c(d$winner == "a", d$winner == "b", d$winner == "tie") * 1
  fit <- glm(y ~ game + long + tie - 1, family = poisson, control = glm.control(epsilon = 1e-14, maxit = 100))
  keep <- (n + 1):length(coef(fit))
  beta <- coef(fit)[keep]
  names(beta) <- NULL
  k <- length(beta)
  list(data = d, coefficients = beta, se = as.vector(sqrt(diag(vcov(fit))[keep])),
       clustered_se = as.vector(clustered(d, x, beta[-k], beta[k])),
       log_likelihood = sum(y * log(fitted(fit))[seq_along(y)]))
}

# Player 1 never loses: the maximum with half a win and half a loss of everybody against one of mean strength.
separated <- local({
  d <- data.frame(a = c(1, 1, 1, 1, 2, 2, 3, 3), b = c(2, 3, 2, 3, 3, 3, 2, 2),
                  winner = c("a", "a", "a", "a", "a", "b", "a", "b"))
  objective <- function(l) {
    l <- l - mean(l)
    x <- l[d$a] - l[d$b]
    won <- d$winner == "a"
    -sum(ifelse(won, plogis(x, log.p = TRUE), plogis(-x, log.p = TRUE))) -
      sum(0.5 * plogis(l, log.p = TRUE) + 0.5 * plogis(-l, log.p = TRUE))
  }
  fit <- optim(c(1, 0, 0), objective, method = "BFGS", control = list(reltol = 1e-16, maxit = 10000))
  list(data = d, strengths = fit$par - mean(fit$par))
})

cat(toJSON(list(made_with = R.version.string, plain = plain(FALSE), seat_and_length = plain(TRUE),
                davidson = davidson(FALSE), davidson_seat_and_length = davidson(TRUE), separated = separated),
           digits = 12, auto_unbox = TRUE, dataframe = "columns"))
cat("\n")
