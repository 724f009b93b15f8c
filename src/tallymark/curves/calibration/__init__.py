"""Whether probabilities come true as often as they say."""
