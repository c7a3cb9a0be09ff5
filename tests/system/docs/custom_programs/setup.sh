cp examples/custom/scorers/score.* .
