def mix(a, b):
    c = a + b
    d = c * 2
    e = d - a
    f = e + c
    g = f - d
    return g + e


def main():
    total = 0
    for i in range(0, 50000):
        total = (total + mix(i, 3)) % 1000003
    return total
