"""A permutation test as a report, JSON and a picture."""
