"""The net benefit of acting on probabilities."""
