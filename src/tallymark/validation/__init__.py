"""From data and a learner to an honest estimate: fits models, and emits the same tallies fold by fold."""
