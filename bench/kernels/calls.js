function add(a, b) {
  return a + b;
}

export function main() {
  let total = 0;
  for (let i = 0; i < 150000; i++) {
    total = add(total, i) % 1000003;
  }
  return total;
}
