function mix(a, b) {
  const c = a + b;
  const d = c * 2;
  const e = d - a;
  const f = e + c;
  const g = f - d;
  return g + e;
}

export function main() {
  let total = 0;
  for (let i = 0; i < 50000; i++) {
    total = (total + mix(i, 3)) % 1000003;
  }
  return total;
}
