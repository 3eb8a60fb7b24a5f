def add(a, b):
    return a + b


def main():
    total = 0
    for i in range(0, 150000):
        total = add(total, i) % 1000003
    return total
