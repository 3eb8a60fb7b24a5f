export function main() {
  let total = 0;
  let i = 0;
  while (i < 200000) {
    total = total + ((i * 3) % 7);
    if (i % 2 === 0) {
      total = total - 1;
    }
    i = i + 1;
  }
  return total;
}
