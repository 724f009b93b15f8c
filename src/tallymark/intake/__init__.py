"""The one door: rows are checked, encoded and counted here, and nothing behind it validates again."""
