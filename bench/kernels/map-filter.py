from functools import reduce


def main():
    xs = list(range(0, 50000))
    squares = list(map(lambda x: x * x, xs))
    even = list(filter(lambda x: x % 2 == 0, squares))
    return reduce(lambda acc, x: (acc + x) % 1000003, even, 0)
