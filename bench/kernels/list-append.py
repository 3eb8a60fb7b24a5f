def main():
    xs = []
    for i in range(0, 200000):
        xs.append(i)
    return len(xs)
