import pytest

from pantry.units import Quantity, UnitError, parse


def test_adds_in_the_left_unit():
    assert Quantity(1, "kg") + Quantity(500, "g") == Quantity(1.5, "kg")


def test_refuses_to_mix_dimensions():
    with pytest.raises(UnitError):
        Quantity(1, "kg") + Quantity(1, "l")


def test_parses_with_and_without_a_blank():
    assert parse("2 kg") == parse("2kg") == Quantity(2.0, "kg")


def test_a_bare_number_counts_pieces():
    assert parse("3") == Quantity(3.0, "piece")
