"""Command line: add, take, list, buy."""

import sys

from .shopping import as_text, missing
from .store import Store
from .units import UnitError, parse


def main(argv: list[str]) -> int:
    if not argv:
        print("usage: pantry add|take NAME QUANTITY | list | buy", file=sys.stderr)
        return 2
    store = Store()
    try:
        return run(store, argv)
    except UnitError as error:
        print(f"pantry: {error}", file=sys.stderr)
        return 1
    finally:
        store.close()


def run(store: Store, argv: list[str]) -> int:
    match argv:
        case ["add", name, *rest]:
            store.add(name, parse(" ".join(rest)))
        case ["take", name, *rest]:
            # TODO: say how much was taken when it is less than asked for
            store.take(name, parse(" ".join(rest)))
        case ["list"]:
            for name, quantity in store.all().items():
                print(f"{name:<20} {quantity.amount:g} {quantity.unit}")
        case ["buy"]:
            print(as_text(missing(store.all(), store.minimums())))
        case _:
            print(f"pantry: unknown command {argv[0]!r}", file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
