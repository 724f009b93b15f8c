"""What recalibrated probabilities would gain."""
