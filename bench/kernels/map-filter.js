export function main() {
  const xs = Array.from({ length: 50000 }, (_, i) => i);
  const squares = xs.map((x) => x * x);
  const even = squares.filter((x) => x % 2 === 0);
  return even.reduce((acc, x) => (acc + x) % 1000003, 0);
}
