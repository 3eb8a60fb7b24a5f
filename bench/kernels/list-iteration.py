def main():
    xs = list(range(0, 100000))
    total = 0
    for x in xs:
        total = total + x
    return total
