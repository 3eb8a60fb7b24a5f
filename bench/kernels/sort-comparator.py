def main():
    xs = list(map(lambda i: i * 7919 % 20011, range(0, 20000)))
    result = sorted(xs, key=lambda x: 0 - x)
    return result[0] + result[19999]
