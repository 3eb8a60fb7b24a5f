export function main() {
  const d = new Map();
  for (let i = 0; i < 100000; i++) {
    d.set(`k${i}`, i);
  }
  let total = 0;
  for (let i = 0; i < 100000; i++) {
    total = total + d.get(`k${i}`);
  }
  return total;
}
