from pantry.shopping import as_text, missing
from pantry.units import Quantity


def test_buys_what_is_not_there():
    assert missing({}, {"rice": Quantity(1, "kg")}) == {"rice": Quantity(1, "kg")}


def test_buys_nothing_that_is_covered():
    assert missing({"rice": Quantity(2, "kg")}, {"rice": Quantity(500, "g")}) == {}


def test_empty_list_says_so():
    assert as_text({}) == "Nothing to buy."
