"""The tests from outside call the command line as those of its own folder do."""

from cli.conftest import refused, run

__all__ = ["refused", "run"]
