import asyncio


async def body(x):
    return x * 2


async def run():
    return sum(await asyncio.gather(*(body(x) for x in range(0, 10000))))


def main():
    return asyncio.run(run())
