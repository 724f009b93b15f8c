"""Helpers of these tests are imported by their names; pictures are drawn without a window."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("agg")
sys.path.insert(0, str(Path(__file__).parent))
