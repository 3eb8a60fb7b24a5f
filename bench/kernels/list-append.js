export function main() {
  const xs = [];
  for (let i = 0; i < 200000; i++) {
    xs.push(i);
  }
  return xs.length;
}
