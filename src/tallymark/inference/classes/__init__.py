"""How sure numbers about all classes at once are."""
