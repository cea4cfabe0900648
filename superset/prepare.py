"""Prepares Superset's metadata database before every start. Idempotent.

One process, because importing Superset takes longer than the work.
"""

import os
from pathlib import Path

from flask_migrate import upgrade
from superset import create_app

SECRETS = Path(os.environ.get("EVENT_PIPELINE_SECRETS", "/run/event-pipeline"))


def migrate() -> None:
    import superset

    upgrade(directory=str(Path(superset.__file__).parent / "migrations"))


def re_encrypt(app) -> None:
    """Re-encrypts values after a rotation of the key; skips those that already use the new key."""
    previous = app.config["PREVIOUS_SECRET_KEY"]
    if not previous:
        return
    from superset.models.core import Database
    from superset.utils.encrypt import EncryptedType, SecretsMigrator

    class Migrator(SecretsMigrator):
        """Finds the encrypted columns; Superset's method searches an outdated registry."""

        def discover_encrypted_fields(self):
            tables = Database.metadata.tables
            columns = {
                name: {
                    column.name: column.type
                    for column in table.columns
                    if isinstance(column.type, EncryptedType)
                }
                for name, table in tables.items()
            }
            return {name: found for name, found in columns.items() if found}

    migrator = Migrator(previous_secret_key=previous)
    if Database.__tablename__ not in migrator.discover_encrypted_fields():
        raise SystemExit("Superset's encrypted columns were not found: nothing was re-encrypted")
    migrator.run()
    print("Stored passwords are encrypted with the current key.", flush=True)


def define_roles() -> None:
    from superset import appbuilder, security_manager

    appbuilder.add_permissions(update_perms=True)
    security_manager.sync_role_definitions()


def set_administrator() -> None:
    """Creates the account `admin`, or sets its current password."""
    from superset import security_manager
    from werkzeug.security import generate_password_hash

    password = (SECRETS / "admin-password").read_text().strip()
    user = security_manager.find_user("admin")
    if user is None:
        role = security_manager.find_role("Admin")
        security_manager.add_user("admin", "Stack", "Admin", "admin@localhost", role, password)
    elif not security_manager.auth_user_db("admin", password):
        user.password = generate_password_hash(password)
        user.active = True
        security_manager.update_user(user)


def main() -> None:
    app = create_app()
    with app.app_context():
        migrate()
        re_encrypt(app)
        define_roles()
        set_administrator()


main()
