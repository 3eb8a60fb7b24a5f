export async function main() {
  const xs = Array.from({ length: 10000 }, (_, i) => i);
  const ys = await Promise.all(xs.map(async (x) => x * 2));
  return ys.reduce((sum, y) => sum + y, 0);
}
