"""Turns stock and minimums into a shopping list."""

from .units import Quantity


def missing(stock: dict[str, Quantity], wanted: dict[str, Quantity]) -> dict[str, Quantity]:
    """What has to be bought so that every wanted item is covered."""
    out: dict[str, Quantity] = {}
    for name, want in wanted.items():
        have = stock.get(name)
        if have is None:
            out[name] = want
        elif not have.covers(want):
            # TODO: subtract what is already there; today the whole amount is bought again
            out[name] = want
    return out


def as_text(items: dict[str, Quantity]) -> str:
    lines = [f"- {name}: {q.amount:g} {q.unit}" for name, q in sorted(items.items())]
    return "\n".join(lines) if lines else "Nothing to buy."
