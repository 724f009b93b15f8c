"""The part of a page that answers to its reader: thresholds, costs and class shares to try."""
