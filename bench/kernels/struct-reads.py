class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y


def main():
    p = Point(3, 4)
    total = 0
    for i in range(0, 100000):
        total = total + p.x * p.y + p.x
    return total
