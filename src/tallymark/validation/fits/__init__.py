"""Fits and the numbers of them: the one place where models are trained, asked and scored."""
