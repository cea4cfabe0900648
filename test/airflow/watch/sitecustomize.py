"""Python imports this by itself at its start: notes every deprecation that our own code causes.

Whom a warning is attributed to is up to the library that gives it, and filters may hide it: what
counts here is whose code stands above the call. OWN_CODE names our folder, DEPRECATIONS the file.
"""

import json
import os
import sys
import warnings

OWN_CODE = os.environ.get("OWN_CODE")
FILE = os.environ.get("DEPRECATIONS")


def cause() -> str | None:
    """Line of ours that called what warns, or that imported the module which does so."""
    frame = sys._getframe(2)
    imports = 0
    while frame is not None:
        name = frame.f_code.co_filename
        is_import = name.startswith("<frozen importlib")
        if name.startswith(OWN_CODE):
            return f"{name}:{frame.f_lineno}"
        # What a library imports by itself, of others, is its own matter.
        if imports > 0 and not is_import:
            return None
        imports += is_import
        frame = frame.f_back
    return None


def note(kind: type, message: object) -> None:
    """Append a line; short ones are not torn apart by other processes."""
    where = cause() if issubclass(kind, (DeprecationWarning, FutureWarning)) else None
    if where is None:
        return
    with open(FILE, "a", encoding="utf-8") as file:
        file.write(json.dumps(f"{where}: {kind.__name__}: {str(message)[:300]}") + "\n")


if OWN_CODE and FILE:
    give = warnings.warn

    def warn(message, category=None, stacklevel=1, source=None, **more):
        """Note it, then warn as ever."""
        note(type(message) if isinstance(message, Warning) else category or UserWarning, message)
        return give(message, category, stacklevel + 1, source, **more)

    warnings.warn = warn
