"""Errors of the assistant package: a caller asked for something that cannot be done now. Each has a hint.

AssistantError
  Busy            a turn is in progress
  EmptyMessage    there is nothing to send
  NotPossible     that message cannot be edited, answered again or branched
  ToolError       a tool cannot do this: what was wrong with which argument, and what would help
  NotAllowed      this call may not run without the user's own yes
  DataUnreadable  a file to measure on is missing, or not what it was said to be
  FileUnreadable  a file the user named cannot be read, or is not what it seems
"""


class AssistantError(Exception):
    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class Busy(AssistantError): ...


class EmptyMessage(AssistantError): ...


class NotPossible(AssistantError): ...


class ToolError(AssistantError): ...


class NotAllowed(AssistantError): ...


class DataUnreadable(AssistantError): ...


class FileUnreadable(AssistantError): ...
