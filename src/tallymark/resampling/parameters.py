"""What scikit-learn asks of everything that it copies."""

from __future__ import annotations

from inspect import signature
from typing import Any, ClassVar, Self

from tallymark.errors import OptionError


class Parameters:
    """Attributes are the arguments an object was made with: checked, and kept as they came."""

    _arguments: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        # Looked up once for each class, and not for every copy: one is made for every fit.
        super().__init_subclass__()
        cls._arguments = tuple(signature(cls).parameters)

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002 - nothing lies deeper here
        """The arguments by name."""
        return {name: getattr(self, name) for name in self._arguments}

    def set_params(self, **given: Any) -> Self:
        """Take other arguments, checked as when it was made."""
        known = self.get_params(deep=False)
        for name in given:
            if name not in known:
                raise OptionError(
                    f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(known)}."
                )
        vars(self).update(vars(type(self)(**{**known, **given})))
        return self

    def __repr__(self) -> str:
        said = ", ".join(f"{name}={value!r}" for name, value in self.get_params(deep=False).items())
        return f"{type(self).__name__}({said})"
