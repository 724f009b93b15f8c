"""One file per library: which call a careful user of it makes for each question."""
