"""Records every deprecation warning that this project's code causes; Python imports this at start.

Libraries may attribute a warning to other code, and filters may hide it. So this module searches
the call stack for this project's code. OWN_CODE is this project's folder, DEPRECATIONS the output
file.
"""

import json
import os
import sys
import warnings

OWN_CODE = os.environ.get("OWN_CODE")
FILE = os.environ.get("DEPRECATIONS")


def cause() -> str | None:
    """Returns this project's line that caused the warning, or imported its module."""
    frame = sys._getframe(2)
    imports = 0
    while frame is not None:
        name = frame.f_code.co_filename
        is_import = name.startswith("<frozen importlib")
        if name.startswith(OWN_CODE):
            return f"{name}:{frame.f_lineno}"
        # Imports made by third-party libraries are not this project's code.
        if imports > 0 and not is_import:
            return None
        imports += is_import
        frame = frame.f_back
    return None


def note(kind: type, message: object) -> None:
    """Append a line; other processes cannot split a short one."""
    where = cause() if issubclass(kind, (DeprecationWarning, FutureWarning)) else None
    if where is None:
        return
    with open(FILE, "a", encoding="utf-8") as file:
        file.write(json.dumps(f"{where}: {kind.__name__}: {str(message)[:300]}") + "\n")


if OWN_CODE and FILE:
    give = warnings.warn

    def warn(message, category=None, stacklevel=1, source=None, **more):
        """Record the warning, then warn as usual."""
        note(type(message) if isinstance(message, Warning) else category or UserWarning, message)
        return give(message, category, stacklevel + 1, source, **more)

    warnings.warn = warn
