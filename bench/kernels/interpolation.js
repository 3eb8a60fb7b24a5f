export function main() {
  const name = "box";
  let length = 0;
  for (let i = 0; i < 50000; i++) {
    const line = `${name}: ${i} of ${i * 2}`;
    length = length + line.length;
  }
  return length;
}
