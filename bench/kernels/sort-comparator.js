export function main() {
  const xs = Array.from({ length: 20000 }, (_, i) => (i * 7919) % 20011);
  // The key is computed once per element, as in the other languages.
  const sorted = xs
    .map((x) => [0 - x, x])
    .sort((a, b) => a[0] - b[0])
    .map(([, x]) => x);
  return sorted[0] + sorted[19999];
}
