"""Quantities with units that can be compared and added."""

from dataclasses import dataclass

# Factors to the base unit of each dimension: gram, millilitre, piece.
FACTORS = {
    "g": ("mass", 1.0),
    "kg": ("mass", 1000.0),
    "ml": ("volume", 1.0),
    "l": ("volume", 1000.0),
    "piece": ("count", 1.0),
    "dozen": ("count", 12.0),
}


class UnitError(ValueError):
    """Raised when two quantities of different dimensions meet."""


@dataclass(frozen=True)
class Quantity:
    amount: float
    unit: str

    def base(self) -> float:
        return self.amount * FACTORS[self.unit][1]

    def dimension(self) -> str:
        return FACTORS[self.unit][0]

    def __add__(self, other: "Quantity") -> "Quantity":
        if self.dimension() != other.dimension():
            raise UnitError(f"cannot add {self.unit} and {other.unit}")
        # TODO: keep the larger of the two units instead of always the left one
        factor = FACTORS[self.unit][1]
        return Quantity((self.base() + other.base()) / factor, self.unit)

    def covers(self, other: "Quantity") -> bool:
        return self.dimension() == other.dimension() and self.base() >= other.base()


def parse(text: str) -> Quantity:
    """Reads `2 kg`, `500ml` or `3` (pieces)."""
    digits = "".join(c for c in text if c.isdigit() or c == ".")
    unit = text[len(digits):].strip() or "piece"
    if unit not in FACTORS:
        raise UnitError(f"unknown unit {unit!r}")
    return Quantity(float(digits), unit)
