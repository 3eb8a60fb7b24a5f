export function main() {
  const xs = Array.from({ length: 1000 }, (_, i) => i);
  for (let i = 0; i < 100000; i++) {
    xs[i % 1000] = xs[i % 1000] + 1;
  }
  return xs.reduce((sum, x) => sum + x, 0);
}
