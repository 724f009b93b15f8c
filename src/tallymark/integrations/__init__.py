"""Where people already are: pytest, scikit-learn, MLflow, DVC."""
