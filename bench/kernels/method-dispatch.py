class Circle:
    def __init__(self, r):
        self.r = r

    def area(self):
        return self.r * self.r * 3


class Square:
    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side * self.side


def main():
    shapes = [Circle(2), Square(3)]
    total = 0
    for i in range(0, 50000):
        for shape in shapes:
            total = total + shape.area()
    return total
