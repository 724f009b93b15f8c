"""Files read in pieces and counted as they come, however large they are."""
