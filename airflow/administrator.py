"""Creates the administrator's account, or sets its password if it exists.

ADMIN_PASSWORD_FILE names the file with the password. Airflow's command takes the password as an
argument, which other processes can read.
"""

from __future__ import annotations

import os
from pathlib import Path

from airflow.providers.fab.auth_manager.cli_commands.utils import get_application_builder

USER = "admin"


def main() -> None:
    """Sets the password; exits with an error on failure."""
    password = Path(os.environ["ADMIN_PASSWORD_FILE"]).read_text(encoding="utf-8").rstrip("\n")
    with get_application_builder() as builder:
        security = builder.sm
        user = security.find_user(USER)
        if user is None:
            role = security.find_role("Admin")
            email = "admin@example.invalid"
            is_set = security.add_user(USER, "Event", "Pipeline", email, role, password)
        else:
            is_set = security.reset_password(user.id, password)
    if not is_set:
        raise SystemExit(f"The password of {USER} cannot be set.")


if __name__ == "__main__":
    main()
