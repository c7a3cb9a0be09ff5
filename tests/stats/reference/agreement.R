# Reference values for the agreement figures and the variance components, from R.
# Made with R 4.2.2, psych 2.2.9, lme4 1.1-31, jsonlite 1.8.4 (Debian 12: r-base-core r-cran-psych r-cran-lme4
# r-cran-jsonlite). Run once; the output is kept beside this script:
#   Rscript agreement.R > agreement.json
# Where R has no package for a figure, its definition is written out the slow way (all pairs, no shortcuts).

suppressMessages({library(jsonlite); library(psych); library(lme4)})
set.seed(20261116)

# Krippendorff's alpha by the sum over all pairs.
alpha <- function(x, scale) {
  x <- x[rowSums(!is.na(x)) >= 2, , drop = FALSE]
  all <- x[!is.na(x)]
  n <- length(all)
  distance <- switch(scale,
    nominal = function(a, b) as.numeric(a != b),
    ordinal = function(a, b) {
      lo <- min(a, b); hi <- max(a, b)
      if (lo == hi) 0 else (sum(all >= lo & all <= hi) - (sum(all == lo) + sum(all == hi)) / 2)^2
    },
    interval = function(a, b) (a - b)^2,
    ratio = function(a, b) if (a + b == 0) 0 else ((a - b) / (a + b))^2)
  pairs <- function(v) {
    total <- 0
    for (i in seq_along(v)) for (j in seq_along(v)) if (i != j) total <- total + distance(v[i], v[j])
    total
  }
  inside <- 0
  for (u in seq_len(nrow(x))) {
    v <- x[u, !is.na(x[u, ])]
    inside <- inside + pairs(v) / (length(v) - 1)
  }
  1 - (inside / n) / (pairs(all) / (n * (n - 1)))
}

# Agreement of interchangeable raters, with Gwet's variances (2008).
several <- function(x, categories) {
  x <- x[rowSums(!is.na(x)) >= 2, , drop = FALSE]
  counts <- t(apply(x, 1, function(v) sapply(categories, function(k) sum(v == k, na.rm = TRUE))))
  m <- rowSums(counts)
  n <- nrow(counts)
  q <- length(categories)
  pa <- rowSums(counts * (counts - 1)) / (m * (m - 1))
  share <- counts / m
  pi <- colMeans(share)
  figure <- function(pe, pe_unit) {
    value <- (mean(pa) - pe) / (1 - pe)
    influence <- (pa - pe) / (1 - pe) - 2 * (1 - value) * (pe_unit - pe) / (1 - pe)
    error <- sqrt(sum((influence - value)^2) / (n * (n - 1)))
    half <- qt(0.975, n - 1) * error
    list(value = value, se = error, ci = c(value - half, min(value + half, 1)))
  }
  fleiss <- figure(sum(pi^2), as.vector(share %*% pi))
  fleiss$categories <- sapply(seq_len(q), function(k) {
    1 - mean(counts[, k] * (m - counts[, k]) / (m * (m - 1))) / (pi[k] * (1 - pi[k]))
  })
  ac1 <- figure(sum(pi * (1 - pi)) / (q - 1), as.vector((1 - share) %*% pi) / (q - 1))
  list(raw = mean(pa), fleiss = fleiss, ac1 = ac1)
}

table_of <- function(units, raters, categories, skill, holes) {
  truth <- sample(categories, units, replace = TRUE, prob = rev(seq_along(categories)))
  x <- sapply(seq_len(raters), function(r) {
    ifelse(runif(units) < skill, truth, sample(categories, units, replace = TRUE))
  })
  x[matrix(runif(units * raters) < holes, units)] <- NA
  x
}

tables <- lapply(list(c(12, 2, 2, 0.7, 0), c(30, 3, 4, 0.6, 0.2), c(50, 5, 5, 0.5, 0.3), c(40, 4, 3, 0.8, 0)),
  function(p) {
    categories <- if (p[3] == 2) c(0, 1) else c(1, 2, 3, 4, 7)[seq_len(p[3])]
    x <- table_of(p[1], p[2], categories, p[4], p[5])
    result <- several(x, categories)
    result$ratings <- x
    for (scale in c("nominal", "ordinal", "interval", "ratio")) result[[scale]] <- alpha(x, scale)
    result
  })

pairs <- lapply(list(c(25, 3, 0.6), c(60, 5, 0.5), c(200, 4, 0.8)), function(p) {
  categories <- seq_len(p[2])
  x <- table_of(p[1], 2, categories, p[3], 0)
  counts <- table(factor(x[, 1], categories), factor(x[, 2], categories))
  distance <- abs(outer(categories, categories, "-"))
  # The value from psych (weights of agreement), the error by the delta method with a numerical gradient of
  # kappa in the cell shares: psych's own error of a weighted kappa takes a row's own share where Fleiss, Cohen
  # and Everitt (1969) take the other rater's shares.
  of <- function(w) {
    fit <- cohen.kappa(matrix(counts, p[2]), w = w, n.obs = p[1])
    kappa <- function(cells) {
      cells <- cells / sum(cells)
      1 - sum((1 - w) * cells) / sum((1 - w) * outer(rowSums(cells), colSums(cells)))
    }
    shares <- matrix(counts, p[2]) / p[1]
    gradient <- sapply(seq_along(shares), function(i) {
      up <- down <- shares
      up[i] <- up[i] + 1e-5
      down[i] <- down[i] - 1e-5
      (kappa(up) - kappa(down)) / 2e-5
    })
    variance <- (sum(shares * gradient^2) - sum(shares * gradient)^2) / p[1]
    list(kappa = fit$weighted.kappa, se = sqrt(variance))
  }
  list(ratings = x, unweighted = of((distance == 0) * 1), linear = of(1 - distance / max(distance)),
       quadratic = of(1 - distance^2 / max(distance)^2))
})

iccs <- lapply(list(c(10, 3), c(25, 5), c(8, 2)), function(p) {
  x <- round(outer(rnorm(p[1], 5, 2), rnorm(p[2], 0, 1), "+") + matrix(rnorm(p[1] * p[2]), p[1]), 2)
  fit <- suppressWarnings(suppressMessages(ICC(x, lmer = FALSE)))
  results <- fit$results
  ranks <- round(x)
  friedman <- friedman.test(t(ranks))  # blocks are raters
  list(ratings = x, icc = results$ICC, low = results$`lower bound`, high = results$`upper bound`,
       ranks = ranks, kendall_w = unname(friedman$statistic) / (p[2] * (p[1] - 1)),
       chi_squared = unname(friedman$statistic), p = friedman$p.value)
})

# Balanced crossed random effects: REML equals the solution by mean squares if no component is negative.
components <- function(fit) {
  v <- as.data.frame(VarCorr(fit))
  setNames(as.list(v$vcov), v$grp)
}
control <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-9, maxfun = 1e5))
two <- local({
  d <- expand.grid(item = 1:20, rater = 1:6)
  d$y <- rnorm(20, 0, 1.5)[d$item] + rnorm(6, 0, 1)[d$rater] + rnorm(120, 0, 0.8)
  d$y <- round(d$y, 3)
  list(data = d, components = components(lmer(y ~ 1 + (1 | item) + (1 | rater), d, control = control)))
})
three <- local({
  d <- expand.grid(item = 1:12, persona = 1:5, judge = 1:4, rep = 1:2)
  draw <- function(sd, ...) {
    key <- interaction(..., drop = TRUE)
    rnorm(nlevels(key), 0, sd)[as.integer(key)]
  }
  d$y <- draw(1.5, d$item) + draw(1, d$persona) + draw(0.9, d$judge) + draw(0.8, d$item, d$persona) +
    draw(0.7, d$item, d$judge) + draw(0.8, d$persona, d$judge) + draw(0.8, d$item, d$persona, d$judge) +
    rnorm(nrow(d), 0, 0.6)
  d$y <- round(d$y, 3)
  fit <- lmer(y ~ 1 + (1 | item) + (1 | persona) + (1 | judge) + (1 | item:persona) + (1 | item:judge) +
                (1 | persona:judge) + (1 | item:persona:judge), d, control = control)
  list(data = d, components = components(fit))
})
# All four facets crossed, mean squares of the full model from aov.
four <- local({
  d <- expand.grid(item = factor(1:6), persona = factor(1:3), judge = factor(1:2), rep = factor(1:2))
  d$y <- round(rnorm(6, 0, 1)[d$item] + rnorm(3)[d$persona] + rnorm(nrow(d)), 3)
  squares <- anova(lm(y ~ item * persona * judge * rep, d))
  names <- rownames(squares)
  keep <- names != "Residuals"
  list(data = as.data.frame(lapply(d, function(v) if (is.factor(v)) as.integer(v) else v)),
       mean_squares = setNames(as.list(squares$`Mean Sq`[keep]), names[keep]))
})

cat(toJSON(list(made_with = paste(R.version.string, "psych", packageVersion("psych"), "lme4",
                                  packageVersion("lme4")),
                tables = tables, pairs = pairs, intraclass = iccs,
                item_rater = two, item_persona_judge = three, four_facets = four),
           digits = 15, auto_unbox = TRUE, na = "null", dataframe = "columns"))
cat("\n")
