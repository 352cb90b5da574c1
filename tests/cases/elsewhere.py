"""Cases that are proved among the tests of their part, with its processes and screens: number and names of tests."""

from collections.abc import Mapping

ELSEWHERE: Mapping[str, str] = {}
