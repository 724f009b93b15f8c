"""Tables and files of DuckDB."""
