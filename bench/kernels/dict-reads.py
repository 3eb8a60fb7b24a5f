def main():
    config = {"width": 3, "height": 4, "depth": 5, "name": "box"}
    total = 0
    for i in range(0, 100000):
        total = total + config["width"] * config["height"] + config["depth"]
    return total
