function* numbers(n) {
  let i = 0;
  while (i < n) {
    yield i;
    i = i + 1;
  }
}

export function main() {
  let total = 0;
  for (const x of numbers(100000)) {
    total = total + x;
  }
  return total;
}
