"""SQLite storage: items, minimums, and a log of every change."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

from .units import Quantity

SCHEMA = """
create table if not exists item (
    name text primary key,
    amount real not null,
    unit text not null,
    best_before text
);
create table if not exists minimum (
    name text primary key,
    amount real not null,
    unit text not null
);
create table if not exists change (
    id integer primary key autoincrement,
    at real not null,
    name text not null,
    kind text not null,
    amount real not null,
    unit text not null
);
create index if not exists change_by_name on change (name, at);
"""


class Store:
    """All reads and writes of one pantry. Not shared between threads."""

    def __init__(self, path: str | Path = "pantry.db") -> None:
        self.path = Path(path)
        self.db = sqlite3.connect(self.path)
        self.db.executescript(SCHEMA)

    def close(self) -> None:
        self.db.close()

    # -- items ---------------------------------------------------------------

    def add(self, name: str, quantity: Quantity, best_before: str | None = None) -> None:
        """Adds to what is there, or makes a new item."""
        existing = self.get(name)
        total = quantity if existing is None else existing + quantity
        with self.db:
            self.db.execute(
                "insert into item (name, amount, unit, best_before) values (?, ?, ?, ?)"
                " on conflict (name) do update set amount = excluded.amount, unit = excluded.unit",
                (name, total.amount, total.unit, best_before),
            )
            self._log(name, "add", quantity)

    def take(self, name: str, quantity: Quantity) -> Quantity:
        """Takes out; returns what was really taken."""
        existing = self.get(name)
        if existing is None:
            raise KeyError(name)
        if not existing.covers(quantity):
            quantity = existing
        left = existing.base() - quantity.base()
        with self.db:
            if left <= 0:
                self.db.execute("delete from item where name = ?", (name,))
            else:
                factor = existing.base() / existing.amount
                self.db.execute(
                    "update item set amount = ? where name = ?",
                    (left / factor, name),
                )
            self._log(name, "take", quantity)
        return quantity

    def get(self, name: str) -> Quantity | None:
        """The stock of one item, or None."""
        with closing(self.db.execute("select amount, unit from item where name = ?", (name,))) as rows:
            row = rows.fetchone()
        return None if row is None else Quantity(row[0], row[1])

    def all(self) -> dict[str, Quantity]:
        """Every item by name."""
        with closing(self.db.execute("select name, amount, unit from item order by name")) as rows:
            return {name: Quantity(amount, unit) for name, amount, unit in rows}

    def rename(self, old: str, new: str) -> None:
        """Gives an item another name; its log follows."""
        if self.get(new) is not None:
            raise ValueError(f"{new!r} exists already")
        with self.db:
            self.db.execute("update item set name = ? where name = ?", (new, old))
            self.db.execute("update minimum set name = ? where name = ?", (new, old))
            self.db.execute("update change set name = ? where name = ?", (new, old))

    # -- best before ---------------------------------------------------------

    def set_best_before(self, name: str, day: str) -> None:
        """Sets the day (YYYY-MM-DD) until which an item is good."""
        # TODO: refuse days that are not real, such as 2026-02-30
        with self.db:
            self.db.execute("update item set best_before = ? where name = ?", (day, name))

    def expiring(self, until: str) -> list[tuple[str, str]]:
        """Names and days of what expires on or before a day."""
        query = (
            "select name, best_before from item"
            " where best_before is not null and best_before <= ? order by best_before, name"
        )
        with closing(self.db.execute(query, (until,))) as rows:
            return [(name, day) for name, day in rows]

    # -- minimums ------------------------------------------------------------

    def set_minimum(self, name: str, quantity: Quantity) -> None:
        """What should always be there."""
        with self.db:
            self.db.execute(
                "insert into minimum (name, amount, unit) values (?, ?, ?)"
                " on conflict (name) do update set amount = excluded.amount, unit = excluded.unit",
                (name, quantity.amount, quantity.unit),
            )

    def clear_minimum(self, name: str) -> None:
        """Forgets a minimum."""
        with self.db:
            self.db.execute("delete from minimum where name = ?", (name,))

    def minimums(self) -> dict[str, Quantity]:
        """Every minimum by name."""
        with closing(self.db.execute("select name, amount, unit from minimum order by name")) as rows:
            return {name: Quantity(amount, unit) for name, amount, unit in rows}

    # -- log -----------------------------------------------------------------

    def _log(self, name: str, kind: str, quantity: Quantity) -> None:
        """Writes one change; the caller holds the transaction."""
        self.db.execute(
            "insert into change (at, name, kind, amount, unit) values (?, ?, ?, ?, ?)",
            (time.time(), name, kind, quantity.amount, quantity.unit),
        )

    def history(self, name: str, limit: int = 20) -> list[tuple[float, str, Quantity]]:
        """The latest changes of an item, newest first."""
        query = (
            "select at, kind, amount, unit from change"
            " where name = ? order by at desc, id desc limit ?"
        )
        with closing(self.db.execute(query, (name, limit))) as rows:
            return [(at, kind, Quantity(amount, unit)) for at, kind, amount, unit in rows]

    def used_per_day(self, name: str, days: int = 30) -> float:
        """Average use per day in base units over the last days."""
        since = time.time() - days * 86_400
        total = 0.0
        query = "select amount, unit from change where name = ? and kind = 'take' and at >= ?"
        with closing(self.db.execute(query, (name, since))) as rows:
            for amount, unit in rows:
                total += Quantity(amount, unit).base()
        return total / days

    def runs_out_in(self, name: str) -> float | None:
        """Days until an item is used up at the present rate; None when it is not used."""
        stock = self.get(name)
        rate = self.used_per_day(name)
        if stock is None or rate == 0:
            return None
        return stock.base() / rate

    def prune_log(self, keep_days: int = 400) -> int:
        """Deletes old log rows; returns how many."""
        # FIXME: the averages above are wrong right after a prune with fewer than 30 days
        limit = time.time() - keep_days * 86_400
        with self.db:
            done = self.db.execute("delete from change where at < ?", (limit,))
        return done.rowcount
