def main():
    hits = 0
    i = 0
    while i < 100000:
        if i > 500 and i <= 90000 or i == 7:
            hits = hits + 1
        if i != hits:
            hits = hits + 1
        i = i + 1
    return hits
