def main():
    d = {}
    for i in range(0, 100000):
        d[f"k{i}"] = i
    total = 0
    for i in range(0, 100000):
        total = total + d[f"k{i}"]
    return total
