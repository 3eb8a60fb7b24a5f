class Dot {}
class Circle {
  constructor(r) {
    this.r = r;
  }
}
class Rect {
  constructor(w, h) {
    this.w = w;
    this.h = h;
  }
}

function area(s) {
  if (s instanceof Dot) return 0;
  if (s instanceof Circle) return s.r * 3;
  if (s instanceof Rect) return s.w * s.h;
  throw new Error("no variant matches");
}

export function main() {
  const shapes = [new Dot(), new Circle(2), new Rect(3, 4)];
  let total = 0;
  for (let i = 0; i < 20000; i++) {
    for (const shape of shapes) {
      total = total + area(shape);
    }
  }
  return total;
}
