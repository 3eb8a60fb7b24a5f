"""Pantry: what is in the kitchen, what runs out, what to buy."""

from .store import Store
from .units import Quantity

__all__ = ["Store", "Quantity"]
