"""Models of which scores are known: by fold, by data set, or by the folds of many data sets."""
