class Point {
  constructor(x, y) {
    this.x = x;
    this.y = y;
  }
}

export function main() {
  const p = new Point(3, 4);
  let total = 0;
  for (let i = 0; i < 100000; i++) {
    total = total + p.x * p.y + p.x;
  }
  return total;
}
