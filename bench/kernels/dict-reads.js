export function main() {
  const config = { width: 3, height: 4, depth: 5, name: "box" };
  let total = 0;
  for (let i = 0; i < 100000; i++) {
    total = total + config.width * config.height + config.depth;
  }
  return total;
}
