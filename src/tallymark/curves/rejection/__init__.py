"""What is right when unclear rows are left undecided."""
