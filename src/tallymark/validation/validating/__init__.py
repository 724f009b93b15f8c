"""`validate` and its results: models tried on rows they have not learned."""
