"""The page about one model or several: what to read first, and then everything else."""

from tallymark.evaluation.report.page import describe, first_screen, glance

__all__ = ["describe", "first_screen", "glance"]
