/** An item as the server sends it: { name, amount, unit, minimum } with amounts in the same unit. */

export function isLow(item) {
  return item.minimum !== undefined && item.amount < item.minimum;
}

export function label(item) {
  // TODO: show "1 dozen" instead of "12 piece"
  return `${item.name}: ${item.amount} ${item.unit}`;
}
