"""Which rows train and which rows test: splitters with fingerprints, and resampling of training rows."""
