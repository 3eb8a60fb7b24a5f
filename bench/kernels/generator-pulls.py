def numbers(n):
    i = 0
    while i < n:
        yield i
        i = i + 1


def main():
    total = 0
    for x in numbers(100000):
        total = total + x
    return total
