"""Cases that nothing proves yet, each with the reason in a line."""

from collections.abc import Mapping

NOT_YET: Mapping[str, str] = {}
