export function main() {
  const xs = Array.from({ length: 100000 }, (_, i) => i);
  let total = 0;
  for (const x of xs) {
    total = total + x;
  }
  return total;
}
