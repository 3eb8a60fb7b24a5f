def main():
    xs = []
    for i in range(0, 100000):
        xs.append(i)
    return len(xs)
