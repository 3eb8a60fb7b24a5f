def main():
    xs = list(range(0, 1000))
    for i in range(0, 100000):
        xs[i % 1000] = xs[i % 1000] + 1
    return sum(xs)
