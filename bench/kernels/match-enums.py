class Dot:
    __match_args__ = ()


class Circle:
    __match_args__ = ("r",)

    def __init__(self, r):
        self.r = r


class Rect:
    __match_args__ = ("w", "h")

    def __init__(self, w, h):
        self.w = w
        self.h = h


def area(s):
    match s:
        case Dot():
            return 0
        case Circle(r):
            return r * 3
        case Rect(w, h):
            return w * h


def main():
    shapes = [Dot(), Circle(2), Rect(3, 4)]
    total = 0
    for i in range(0, 20000):
        for shape in shapes:
            total = total + area(shape)
    return total
