"""The ROC curve: its constructions, its hull, band and ties; curves from points; several models."""
