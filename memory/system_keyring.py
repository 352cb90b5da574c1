"""The key of an encrypted home in the keyring of the system: the only importer of keyring.

macOS has Keychain, Windows the Credential Locker, Linux what speaks Secret Service (GNOME Keyring, KWallet, KeePassXC)
where a desktop session runs. Keyrings that write a file in the clear are refused.
"""

from contextlib import suppress

from memory.errors import HomeLocked, StoreError
from memory.home_key import Key

SERVICE = "Steward"
_IN_THE_CLEAR = ("keyrings.alt", "keyring.backends.null")


def trouble() -> str:
    """Why no key can be kept in the keyring here; "" when one can. Loads the library; may wake the system's."""
    import keyring
    from keyring.backends import chainer, fail

    backend = keyring.get_keyring()
    backends = backend.backends if isinstance(backend, chainer.ChainerBackend) else [backend]
    if all(isinstance(one, fail.Keyring) for one in backends):
        return "this system has no keyring that runs here"
    if any(type(one).__module__.startswith(_IN_THE_CLEAR) for one in backends[:1]):
        return "the keyring of this system keeps secrets in the clear"
    return ""


def put(key: Key) -> None:
    """It is read back before this returns. Raises StoreError."""
    import keyring
    from keyring.errors import KeyringError

    if reason := trouble():
        raise StoreError(f"The key cannot be kept in the keyring: {reason}.", "Use a passphrase instead.")
    try:
        keyring.set_password(SERVICE, key.fingerprint, key.secret.hex())
        there = keyring.get_password(SERVICE, key.fingerprint) == key.secret.hex()
    except KeyringError as error:
        raise StoreError(f"The keyring refuses the key: {_said(error)}.", "Unlock it, or use a passphrase.") from error
    if not there:
        raise StoreError("The keyring did not keep the key.", "Use a passphrase instead.")


def get(fingerprint: str) -> Key:
    """Raises HomeLocked."""
    import keyring
    from keyring.errors import KeyringError, KeyringLocked, NoKeyringError

    try:
        found = keyring.get_password(SERVICE, fingerprint)
    except KeyringLocked as error:
        raise HomeLocked(
            "The system keyring is locked.", "Unlock it (log in to the desktop), then try again."
        ) from error
    except NoKeyringError as error:
        raise HomeLocked(
            "The key of this home is in the system keyring, and no keyring runs here.",
            "Start Steward in your desktop session, or set a passphrase there: steward encryption change",
        ) from error
    except KeyringError as error:
        raise HomeLocked(f"The system keyring refuses: {_said(error)}.", "Unlock it, then try again.") from error
    try:
        key = Key(bytes.fromhex(found or ""))
    except ValueError:
        key = Key(b"")
    if key.fingerprint != fingerprint:
        raise HomeLocked(
            "The key of this home is not in the system keyring.",
            "Log in as the user, on the machine, where it was encrypted. Without the key nobody can open it.",
        )
    return key


def remove(fingerprint: str) -> None:
    """One that is not there, or cannot be reached, stays."""
    import keyring
    from keyring.errors import KeyringError

    with suppress(KeyringError):
        keyring.delete_password(SERVICE, fingerprint)


def _said(error: Exception) -> str:
    return " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
