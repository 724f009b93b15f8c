"""One small file per finding."""
