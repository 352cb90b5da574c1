"""Errors of the memory package. Each has a one-line message and a hint.

StoreError
  HomeUnusable        the data directory cannot be made or written
  HomeInUse(holder)   another Steward owns it
  SchemaTooNew        written by a newer Steward; nothing was changed
  StoreDamaged        the database cannot be read; the original is kept
  StoreFull           the disk is full; the last change was rolled back
  NotFound            no such session, message or memory
  ChangeRefused       a change does not fit the state of what it names; nothing was changed
  ImportRefused       a file is not what can be imported; nothing was changed
  HomeLocked          the home is encrypted and its key is not here, or not the right one; nothing is damaged
  EncryptionMissing   the library that reads encrypted databases is not here
"""


class StoreError(Exception):
    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class HomeUnusable(StoreError): ...


class HomeInUse(StoreError):
    def __init__(self, message: str, hint: str = "", *, holder_pid: int | None = None) -> None:
        super().__init__(message, hint)
        self.holder_pid = holder_pid


class SchemaTooNew(StoreError): ...


class StoreDamaged(StoreError): ...


class StoreFull(StoreError): ...


class NotFound(StoreError): ...


class ChangeRefused(StoreError): ...


class ImportRefused(StoreError): ...


class HomeLocked(StoreError): ...


class EncryptionMissing(StoreError): ...
