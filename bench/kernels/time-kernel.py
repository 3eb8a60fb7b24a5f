"""Times main() of a kernel in this process: python3 time-kernel.py KERNEL.py ROUNDS -> result and best milliseconds."""
import importlib.util
import sys
import time

path, rounds = sys.argv[1], int(sys.argv[2])
spec = importlib.util.spec_from_file_location("kernel", path)
kernel = importlib.util.module_from_spec(spec)
spec.loader.exec_module(kernel)
result = kernel.main()
times = []
for _ in range(rounds):
    begin = time.perf_counter()
    kernel.main()
    times.append((time.perf_counter() - begin) * 1000)
print(result, min(times))
