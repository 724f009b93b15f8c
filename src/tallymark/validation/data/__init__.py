"""What models learn from: arrays, data frames and files, checked once and shared with workers."""
