def main():
    text = ""
    for i in range(0, 50000):
        text = text + f"item {i}, "
    return len(text)
