class Circle {
  constructor(r) {
    this.r = r;
  }
  area() {
    return this.r * this.r * 3;
  }
}
class Square {
  constructor(side) {
    this.side = side;
  }
  area() {
    return this.side * this.side;
  }
}

export function main() {
  const shapes = [new Circle(2), new Square(3)];
  let total = 0;
  for (let i = 0; i < 50000; i++) {
    for (const shape of shapes) {
      total = total + shape.area();
    }
  }
  return total;
}
