def main():
    name = "box"
    length = 0
    for i in range(0, 50000):
        line = f"{name}: {i} of {i * 2}"
        length = length + len(line)
    return length
