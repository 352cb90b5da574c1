"""Every case of the log is proved by a test that has its number, by a named test elsewhere, or listed with a reason."""

from collections.abc import Iterable, Mapping

import pytest

from tests.cases.elsewhere import ELSEWHERE
from tests.cases.listing import HERE, PAGE, ROOT, names_in, numbers_of, page, with_model
from tests.cases.not_yet import NOT_YET
from tests.cases.register import CASES, GROUPS


def numbers_in(names: Iterable[str]) -> set[str]:
    return {number for name in names for number in numbers_of(name)}


def proved_here() -> set[str]:
    return {number for path in HERE.glob("test_*.py") for number in numbers_in(names_in(path))}


def unproved(
    cases: frozenset[str], proofs: set[str], elsewhere: Mapping[str, str], listed: Mapping[str, str]
) -> set[str]:
    return set(cases) - proofs - elsewhere.keys() - listed.keys()


def test_there_are_as_many_as_in_the_log() -> None:
    assert len(CASES) == 165
    assert sum(len(ids.split()) for ids in GROUPS.values()) == 165


def test_every_case_is_proved_or_listed_with_a_reason() -> None:
    assert unproved(CASES, proved_here(), ELSEWHERE, NOT_YET) == set()
    assert all(len(reason) > 20 for reason in NOT_YET.values())


def test_nothing_else_has_a_number_and_none_is_counted_twice() -> None:
    assert proved_here() | ELSEWHERE.keys() | NOT_YET.keys() <= CASES
    assert proved_here() & ELSEWHERE.keys() == set()
    assert (proved_here() | ELSEWHERE.keys()) & NOT_YET.keys() == set()


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_has_a_file_of_its_own(group: str) -> None:
    path = HERE / f"test_{group.replace('-', '_')}.py"
    assert numbers_in(names_in(path)) <= set(GROUPS[group].split())


@pytest.mark.parametrize("case", sorted(ELSEWHERE))
def test_a_proof_elsewhere_exists(case: str) -> None:
    for proof in ELSEWHERE[case].split():
        file, _, name = proof.partition("::")
        assert name in set(names_in(ROOT / file)), proof


def test_a_case_without_a_proof_is_noticed() -> None:
    assert unproved(frozenset({"D01", "D02", "D03"}), {"D01"}, {"D02": "x"}, {}) == {"D03"}
    assert numbers_in(["test_D01_D02_two", "test_none", "test_d04_small"]) == {"D01", "D02"}


def test_the_page_of_cases_is_true() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m tests.cases.listing writes it"


def test_what_runs_on_a_real_model_are_cases() -> None:
    assert len(with_model()) >= 10
    assert with_model() <= CASES
