"""What is right when unclear rows are declined."""
