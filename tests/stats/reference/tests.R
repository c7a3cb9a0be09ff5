# Reference values for the tests of two_groups, two_rates, pairs, effect_size, adjust, association and planning, from
# R 4.2.2 with its own packages only. Run once; the output is kept beside this script:
#     Rscript tests.R > tests.json
options(warn = -1)
RNGversion("4.2.0")
set.seed(20240607)

json <- function(x) {
  if (is.null(x)) return("null")
  if (is.list(x)) {
    if (is.null(names(x))) return(paste0("[", paste(vapply(x, json, ""), collapse = ","), "]"))
    return(paste0("{", paste0('"', names(x), '":', vapply(x, json, ""), collapse = ","), "}"))
  }
  text <- if (is.character(x)) paste0('"', x, '"') else ifelse(is.finite(x), formatC(x, digits = 15, format = "g", width = 1), "null")
  if (length(x) == 1 && is.null(attr(x, "array"))) text else paste0("[", paste(text, collapse = ","), "]")
}
many <- function(x) structure(unname(x), array = TRUE)
t_of <- function(test) list(t = unname(test$statistic), df = unname(test$parameter), p = test$p.value, ci = many(test$conf.int))

# --- two groups ---
shape <- function(i) list(c(8, 6), c(3, 12), c(25, 31), c(2, 2), c(60, 55), c(10, 10))[[(i - 1) %% 6 + 1]]
groups <- lapply(1:18, function(i) {
  n <- shape(i)
  if (i <= 6) { a <- round(rnorm(n[1], 0.4, 1.3), 3); b <- round(rnorm(n[2]), 3) }
  else if (i <= 12) { a <- sample(1:5, n[1], TRUE); b <- sample(c(1:5, 4, 5), n[2], TRUE) }
  else { a <- round(rexp(n[1]), 4); b <- round(rexp(n[2], 0.6), 4) }
  tied <- anyDuplicated(c(a, b)) > 0
  spread <- var(a) > 0 || var(b) > 0
  out <- list(a = many(a), b = many(b), tied = as.integer(tied))
  if (spread) {
    out$student <- t_of(t.test(a, b, var.equal = TRUE))
    out$welch <- t_of(t.test(a, b))
    out$welch_less <- t.test(a, b, alternative = "less")$p.value
    d <- (mean(a) - mean(b)) / sqrt(((n[1] - 1) * var(a) + (n[2] - 1) * var(b)) / (sum(n) - 2))
    scale <- sqrt(1 / n[1] + 1 / n[2]); df <- sum(n) - 2
    limit <- function(p) uniroot(function(ncp) pt(d / scale, df, ncp) - p, d / scale + c(-20, 20), tol = 1e-12)$root * scale
    out$d <- list(value = d, ci = many(c(limit(0.975), limit(0.025))))
    m <- df
    out$j <- if (m >= 2) exp(lgamma(m / 2) - lgamma((m - 1) / 2)) / sqrt(m / 2) else NULL
  }
  exact <- !tied && max(n) < 50
  w <- wilcox.test(a, b, exact = exact, correct = TRUE)
  out$u <- unname(w$statistic)
  out$p <- w$p.value
  out$p_greater <- wilcox.test(a, b, exact = exact, correct = TRUE, alternative = "greater")$p.value
  out$shift <- median(outer(a, b, "-"))
  if (exact && min(n) > 2) {
    h <- wilcox.test(a, b, exact = TRUE, conf.int = TRUE)
    out$shift_ci <- many(h$conf.int)
  }
  if (tied && sum(n) <= 16) {
    r <- rank(c(a, b)); mu <- n[1] * (sum(n) + 1) / 2
    s <- combn(sum(n), n[1], function(k) sum(r[k]))
    out$permutation <- mean(abs(s - mu) >= abs(sum(r[1:n[1]]) - mu) - 1e-9)
  }
  out
})

# --- two rates ---
tables <- list(c(9, 10, 3, 10), c(56, 70, 48, 80), c(10, 10, 0, 20), c(5, 56, 0, 29), c(0, 10, 7, 12), c(6, 7, 2, 7),
               c(1, 1, 0, 1), c(10, 10, 9, 10), c(150, 400, 190, 420), c(700, 1000, 640, 1000), c(3, 5, 3, 5), c(10, 10, 12, 12))
# fisher.test finds its roots to four digits only; here the same equations are solved to all.
conditional_odds <- function(k) {
  m <- k[2]; n <- k[4]; s <- k[1] + k[3]; x <- max(0, s - n):min(m, s)
  weigh <- function(log_odds) { w <- dhyper(x, m, n, s, log = TRUE) + log_odds * x; w <- exp(w - max(w)); w / sum(w) }
  solve_for <- function(f) exp(uniroot(f, c(-30, 30), tol = 1e-13)$root)
  if (k[1] == max(x)) return(NULL)
  list(value = if (k[1] == min(x)) 0 else solve_for(function(l) sum(x * weigh(l)) - k[1]),
       ci = many(c(if (k[1] == min(x)) 0 else solve_for(function(l) sum(weigh(l)[x >= k[1]]) - 0.025),
                   solve_for(function(l) sum(weigh(l)[x <= k[1]]) - 0.025))))
}
rates <- lapply(tables, function(k) {
  m <- matrix(c(k[1], k[2] - k[1], k[3], k[4] - k[3]), 2)
  f <- fisher.test(m)
  w1 <- prop.test(k[1], k[2], correct = FALSE)$conf.int; w2 <- prop.test(k[3], k[4], correct = FALSE)$conf.int
  p1 <- k[1] / k[2]; p2 <- k[3] / k[4]; d <- p1 - p2
  list(cells = many(k), newcombe = many(c(d - sqrt((p1 - w1[1])^2 + (w2[2] - p2)^2), d + sqrt((w1[2] - p1)^2 + (p2 - w2[1])^2))),
       p = prop.test(c(k[1], k[3]), c(k[2], k[4]), correct = FALSE)$p.value,
       fisher_p = f$p.value, odds = conditional_odds(k))
})

# --- pairs ---
pairs <- lapply(1:12, function(i) {
  n <- c(6, 9, 15, 30, 49, 70)[(i - 1) %% 6 + 1]
  if (i <= 6) { a <- round(rnorm(n, 0.3), 4); b <- round(rnorm(n), 4) }
  else { a <- sample(1:5, n, TRUE); b <- sample(c(1, 1:5), n, TRUE) }
  d <- a - b
  if (i <= 6) d <- round(d, 4)
  size <- abs(d[d != 0])
  exact <- n < 50 && !any(d == 0) && !anyDuplicated(size)
  w <- wilcox.test(d, exact = exact, correct = TRUE)
  walsh <- outer(d, d, "+") / 2; walsh <- sort(walsh[lower.tri(walsh, TRUE)])
  cluster <- (seq_len(n) * 7) %% max(3, n %/% 3)
  sums <- tapply(d - mean(d), cluster, sum); k <- length(sums)
  se <- sqrt(k / (k - 1) * sum(sums^2)) / n
  dz <- mean(d) / sd(d)
  limit <- function(p) uniroot(function(ncp) pt(dz * sqrt(n), n - 1, ncp) - p, dz * sqrt(n) + c(-20, 20), tol = 1e-12)$root / sqrt(n)
  flip <- NULL
  if (n <= 15) {
    signs <- as.matrix(expand.grid(rep(list(c(-1, 1)), n)))
    flip <- mean(abs(signs %*% abs(d)) >= abs(sum(d)) - 1e-9)
  }
  out <- list(a = many(a), b = many(b), t = t_of(t.test(a, b, paired = TRUE)), cluster = many(cluster),
              clustered = list(se = se, df = k - 1, p = 2 * pt(-abs(mean(d) / se), k - 1)),
              exact = as.integer(exact), v = unname(w$statistic), p = w$p.value, p_less = wilcox.test(d, exact = exact, alternative = "less")$p.value,
              centre = median(walsh), dz = list(value = dz, ci = many(c(limit(0.975), limit(0.025)))), flip = flip)
  if (exact) out$centre_ci <- many(wilcox.test(d, exact = TRUE, conf.int = TRUE)$conf.int)
  out
})
mcnemar <- lapply(list(c(150, 86), c(3, 0), c(5, 5), c(10, 2), c(1, 0), c(40, 61)), function(k) {
  m <- matrix(c(20, k[2], k[1], 30), 2)
  list(counts = many(k), exact = binom.test(k[1], sum(k))$p.value,
       mid = min(1, 2 * pbinom(min(k), sum(k), 0.5) - dbinom(min(k), sum(k), 0.5)),
       chi = unname(mcnemar.test(m, correct = FALSE)$statistic), chi_p = mcnemar.test(m, correct = FALSE)$p.value,
       corrected = unname(mcnemar.test(m)$statistic), corrected_p = mcnemar.test(m)$p.value)
})

# --- many tests ---
families <- lapply(c(1, 2, 5, 20, 60), function(m) {
  p <- signif(runif(m)^3, 4); if (m == 20) p[3] <- p[7]
  list(p = many(p), holm = many(p.adjust(p, "holm")), bh = many(p.adjust(p, "BH")), by = many(p.adjust(p, "BY")))
})

# --- association ---
numeric_phi_error <- function(cells) {
  n <- sum(cells); p <- cells / n
  f <- function(p) (p[1] * p[4] - p[2] * p[3]) / sqrt((p[1] + p[2]) * (p[3] + p[4]) * (p[1] + p[3]) * (p[2] + p[4]))
  h <- 1e-6
  g <- vapply(1:4, function(i) { e <- numeric(4); e[i] <- h; (f(p + e) - f(p - e)) / (2 * h) }, 0)
  sqrt((sum(p * g^2) - sum(p * g)^2) / n)
}
associations <- lapply(1:12, function(i) {
  n <- c(5, 8, 9, 14, 40, 80)[(i - 1) %% 6 + 1]
  if (i <= 6) { x <- round(rnorm(n), 4); y <- round(0.6 * x + rnorm(n), 4) }
  else { x <- sample(1:6, n, TRUE); y <- pmin(6, pmax(1, x + sample(-2:2, n, TRUE))) }
  tied <- anyDuplicated(x) > 0 || anyDuplicated(y) > 0
  r <- cor.test(x, y)
  s <- if (!tied && n <= 9) cor.test(x, y, method = "spearman", exact = TRUE)$p.value else if (n > 9) {
    rho <- cor(x, y, method = "spearman"); 2 * pt(-abs(rho) * sqrt((n - 2) / (1 - rho^2)), n - 2) } else NULL
  k <- cor.test(x, y, method = "kendall", exact = !tied && n < 50)
  list(x = many(x), y = many(y), pearson = unname(r$estimate), pearson_ci = many(r$conf.int), pearson_p = r$p.value, pearson_t = unname(r$statistic),
       spearman = cor(x, y, method = "spearman"), spearman_p = s, kendall = unname(k$estimate), kendall_p = k$p.value, kendall_statistic = unname(k$statistic))
})
phis <- lapply(list(c(20, 5, 7, 18), c(3, 9, 14, 2), c(50, 10, 12, 3), c(200, 41, 60, 99)), function(k) {
  m <- matrix(k, 2, byrow = TRUE); test <- chisq.test(m, correct = FALSE)
  value <- (k[1] * k[4] - k[2] * k[3]) / sqrt(prod(rowSums(m)) * prod(colSums(m)))
  half <- qnorm(0.975) * numeric_phi_error(k) / (1 - value^2)
  list(cells = many(k), phi = value, statistic = unname(test$statistic), p = test$p.value, ci = many(tanh(atanh(value) + c(-half, half))))
})

# --- planning ---
means <- lapply(list(c(0.5, 1, 0.05, 0.8), c(0.03, 0.33, 0.05, 0.8), c(1.2, 1, 0.01, 0.9), c(2, 0.9, 0.05, 0.95)), function(k) {
  n <- power.t.test(delta = k[1], sd = k[2], sig.level = k[3], power = k[4], tol = 1e-10)$n
  whole <- ceiling(n)
  list(input = many(k), n = n, at = whole, power = power.t.test(n = whole, delta = k[1], sd = k[2], sig.level = k[3])$power,
       delta = power.t.test(n = whole, sd = k[2], sig.level = k[3], power = k[4], tol = 1e-12)$delta)
})
proportions <- lapply(list(c(0.5, 0.75, 0.05, 0.9), c(0.8, 0.85, 0.05, 0.8), c(0.1, 0.02, 0.01, 0.8), c(0.9, 0.95, 0.05, 0.8)), function(k) {
  n <- power.prop.test(p1 = k[1], p2 = k[2], sig.level = k[3], power = k[4], tol = 1e-12)$n
  whole <- ceiling(n)
  list(input = many(k), n = n, at = whole, power = power.prop.test(n = whole, p1 = k[1], p2 = k[2], sig.level = k[3])$power,
       up = power.prop.test(n = whole, p1 = k[1], sig.level = k[3], power = k[4], tol = 1e-12)$p2 - k[1])
})

cat(json(list(made_with = R.version.string, groups = groups, rates = rates, pairs = pairs, mcnemar = mcnemar, families = families,
              associations = associations, phis = phis, means = means, proportions = proportions)), "\n", sep = "")
