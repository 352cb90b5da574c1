"""Errors of the models package.

ModelError(failure)          carries a `Failure`: kind, message, hint
  ModelMissing               no model chosen, or its file is gone
  ModelRefused               corrupt file, unknown architecture, no chat template
  WorkerDied                 the child process ended
  ContextFull                the prompt does not fit
  BadSchema                  a JSON schema no grammar can be made of
  Cancelled                  the caller asked, or a user request went first
  FetchError                 a model could not be fetched
    HashMismatch             what came is not what was published
    DiskFull                 no room, before or during the download
    SourceUnavailable        one source, or every source, cannot give the file now
      PartMissing            a package index answers, but does not have one of the distributions
    FetchBusy                another Steward is fetching the same file
    CatalogueWrong           a catalogue file cannot be used
"""

from models.types import Failure


class ModelError(Exception):
    """Base of all expected failures here. `failure.message` names what and where, `failure.hint` the next step."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class ModelMissing(ModelError): ...


class ModelRefused(ModelError): ...


class WorkerDied(ModelError): ...


class ContextFull(ModelError): ...


class BadSchema(ModelError): ...


class Cancelled(ModelError): ...


class FetchError(Exception):
    """A download or copy that did not end in a verified file. Nothing partial is ever left in place of the model."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class HashMismatch(FetchError): ...


class DiskFull(FetchError): ...


class SourceUnavailable(FetchError): ...


class PartMissing(SourceUnavailable): ...


class FetchBusy(FetchError): ...


class CatalogueWrong(FetchError): ...
