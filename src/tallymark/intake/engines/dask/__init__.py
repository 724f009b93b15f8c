"""Tables and files of Dask, and its clusters."""
