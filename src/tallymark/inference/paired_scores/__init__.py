"""Two models' scores against each other: the parts of `inference/paired_ranking.py`."""
