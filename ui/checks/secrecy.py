"""Encryption of the home: whether there is any, whether its key can be found, what lies beside it in the clear."""

from ui.checks.result import Check, broken, note, ok
from ui.encryption_acts import Status


def check_encryption(found: Status) -> Check:
    if not found.encrypted:
        return ok("encryption", "off; `steward encryption on` encrypts what is kept")
    if found.trouble:
        return broken("encryption", f"on, but {found.trouble}", "Put data/encryption.json back from a copy.")
    where = "the keyring of this system" if found.key_in == "keyring" else "a passphrase"
    if found.key_in == "keyring" and found.keyring:
        return note("encryption", f"on, but {found.keyring}", "Start Steward in your desktop session.")
    if found.clear:
        return note(
            "encryption",
            f"on, with {where}; {found.clear:,} backups are in the clear",
            "steward encryption backups encrypt",
        )
    return ok("encryption", f"on, with {where}")
