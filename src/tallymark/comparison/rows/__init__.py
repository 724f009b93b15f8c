"""Models whose rows, counts or accuracies are known: on the same rows, or on other ones."""
