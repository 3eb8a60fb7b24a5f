/** Connections to a provider: the rules of docs/evals.md, and what they come to beside a provider with a limit of its own. */
import { describe, expect, it } from "vitest";
import { Governor, Governors, receiptOf, SetBudget } from "../../../../src/eval/engine/index.ts";
import { nodeDigest, VirtualClock } from "../../../../src/host/index.ts";
import type { ModelClient, ModelOutcome, ModelRequest } from "../../../../src/model/index.ts";

const rules = (start: number, max: number) => ({ min: 2, start, max });

/** So many requests at once, all answered. */
function succeed(governor: Governor, times: number): void {
  const permits = Array.from({ length: times }, () => governor.begin(100_000));
  for (const permit of permits) if (permit !== undefined) governor.succeeded(permit, 100_000);
}

describe("the limit of connections", () => {
  it("grows while answers come, is cut by a 429, and only once for requests of before", () => {
    const governor = new Governor(rules(4, 16), 0);
    for (let n = 0; n < 4; n++) {
      const permits = [];
      for (let permit = governor.begin(0); permit !== undefined; permit = governor.begin(0))
        permits.push(permit);
      governor.succeeded(permits[0]!, 0);
      for (const permit of permits.slice(1)) governor.failed(permit);
    }
    expect(governor.limit).toBe(8);
    const [first, second] = [governor.begin(0)!, governor.begin(0)!];
    governor.limited(first, 0, undefined);
    expect(governor.limit).toBe(5);
    governor.limited(second, 0, undefined);
    expect(governor.limit).toBe(5);
    const one = (): void => {
      const permits = [];
      for (let permit = governor.begin(100_000); permit !== undefined; permit = governor.begin(100_000))
        permits.push(permit);
      governor.succeeded(permits[0]!, 100_000);
      for (const permit of permits.slice(1)) governor.failed(permit);
    };
    for (let n = 0; n < 5; n++) one();
    expect(governor.limit).toBe(6);
    for (let n = 0; n < 6; n++) one();
    expect(governor.limit).toBe(7);
  });

  it("a request that met a 429, or few in flight, let it grow by nothing; least and most hold", () => {
    const governor = new Governor(rules(4, 5), 0);
    succeed(governor, 1);
    expect(governor.limit).toBe(4);
    const permits = [0, 1, 2, 3].map(() => governor.begin(0)!);
    permits[0]!.metLimit = true;
    governor.succeeded(permits[0]!, 0);
    expect(governor.limit).toBe(4);
    governor.succeeded(permits[1]!, 0);
    expect(governor.limit).toBe(5);
    governor.failed(permits[2]!);
    governor.failed(permits[3]!);
    succeed(governor, 5);
    expect(governor.limit).toBe(5);
    for (let n = 0; n < 5; n++) {
      governor.limited(governor.begin(1e9 * (n + 1))!, 1e9 * (n + 1), 0);
    }
    expect(governor.limit).toBe(2);
  });

  it("nothing begins before what Retry-After says; without it pauses double up to a minute", () => {
    const governor = new Governor(rules(10, 20), 0, () => 1);
    governor.limited(governor.begin(0)!, 0, 5000);
    expect(governor.begin(4999)).toBeUndefined();
    let now = 5000;
    for (const pause of [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]) {
      governor.limited(governor.begin(now)!, now, undefined);
      expect(governor.pausedUntil).toBe(now + pause);
      now += pause;
    }
  });
});

/** A provider that lets so many requests through in a second, after a burst of as many. */
function bucket(
  clock: VirtualClock,
  perSecond: number,
  latencyMs: number,
  retryAfterMs: number | null = 250,
) {
  let tokens = perSecond;
  let filled = 0;
  let seed = 7;
  /** From 0.7 to 1.3: answers of models do not all take the same time. */
  const jitter = (): number => {
    seed = (seed * 1103515245 + 12345) & 0x7fffffff;
    return 0.7 + (0.6 * seed) / 0x7fffffff;
  };
  const counts = { answered: 0, refused: 0 };
  const client: ModelClient = {
    async stream(request: ModelRequest): Promise<ModelOutcome> {
      const now = clock.monotonic();
      tokens = Math.min(perSecond, tokens + ((now - filled) / 1000) * perSecond);
      filled = now;
      const isFree = tokens >= 1;
      if (isFree) tokens -= 1;
      await clock.sleep(isFree ? latencyMs * jitter() : 20);
      if (isFree) {
        counts.answered++;
        return { ok: true, response: { provider: request.provider } } as unknown as ModelOutcome;
      }
      counts.refused++;
      return {
        ok: false,
        error: { status: 429, category: "rate_limit", retry_after_ms: retryAfterMs ?? undefined },
      } as unknown as ModelOutcome;
    },
  };
  return { client, counts };
}

describe("beside providers with limits of their own", () => {
  // Quick answers pass a limit of requests however few are in flight: what is paced is how fast they begin.
  it.each(
    [20, 100, 1000].flatMap((latency) =>
      [null, 250, 1000].map((retryAfter) => [latency, retryAfter] as const),
    ),
  )(
    "answers of %i ms, Retry-After %s: two of eight requests a second are used to 85 per cent, with at most 5 refused",
    async (latencyMs, retryAfterMs) => {
      const clock = new VirtualClock();
      const governors = new Governors({
        now: () => clock.monotonic(),
        sleep: (ms, signal) => clock.sleep(ms, signal),
        random: () => 0.5,
        giveUpMs: 600_000,
        onChange: () => {},
        onSilent: () => {},
      });
      const providers = ["one", "two"].map((name) => ({
        name,
        ...bucket(clock, 8, latencyMs, retryAfterMs),
      }));
      let over = false;
      const work = async ({ name, client }: (typeof providers)[number]): Promise<void> => {
        const governed = governors.govern(client);
        while (!over) await governed.stream({ provider: name } as ModelRequest);
      };
      for (const provider of providers) for (let n = 0; n < 40; n++) void work(provider);
      await clock.sleep(10_000);
      const before = providers.map(({ counts }) => ({ ...counts }));
      await clock.sleep(120_000);
      for (const [at, { counts }] of providers.entries()) {
        const answered = counts.answered - before[at]!.answered;
        const refused = counts.refused - before[at]!.refused;
        expect(answered / 120 / 8).toBeGreaterThan(0.85);
        expect(refused / (answered + refused)).toBeLessThanOrEqual(0.05);
      }
      over = true;
    },
  );

  it("one that answers nothing but 429 is told of after ten minutes", async () => {
    const clock = new VirtualClock();
    const silent: string[] = [];
    const governors = new Governors({
      now: () => clock.monotonic(),
      sleep: (ms, signal) => clock.sleep(ms, signal),
      random: () => 0.5,
      giveUpMs: 600_000,
      onChange: () => {},
      onSilent: (provider) => silent.push(provider),
    });
    const client = bucket(clock, 0, 1).client;
    void governors.govern(client).stream({ provider: "p" } as ModelRequest);
    await clock.sleep(590_000);
    expect(silent).toEqual([]);
    await clock.sleep(130_000);
    expect(silent[0]).toBe("p");
  });
});

describe("the budget of a set", () => {
  it("is never passed by trees of calls at random", () => {
    let seed = 12345;
    const random = (): number => {
      seed = (seed * 1103515245 + 12345) & 0x7fffffff;
      return seed / 0x7fffffff;
    };
    for (let round = 0; round < 200; round++) {
      const limit = 1 + random() * 5;
      const money = new SetBudget(limit);
      const calls: { name: string; usd: number }[] = [];
      const open: string[] = [];
      for (let step = 0; step < 300; step++) {
        const draw = random();
        if (draw < 0.2) {
          const name = `t${step}`;
          if (money.open(name, random() * 0.5)) open.push(name);
        } else if (draw < 0.6 && open.length > 0) {
          const name = open[Math.floor(random() * open.length)]!;
          const usd = random() * 0.4;
          if (money.reserve(name, usd)) calls.push({ name, usd });
        } else if (draw < 0.9 && calls.length > 0) {
          const [call] = calls.splice(Math.floor(random() * calls.length), 1);
          money.book(call!.name, call!.usd * random());
          money.release(call!.name, call!.usd);
        } else if (open.length > 0) {
          const name = open[Math.floor(random() * open.length)]!;
          if (calls.some((one) => one.name === name)) continue;
          open.splice(open.indexOf(name), 1);
          money.close(name);
        }
        expect(money.committed).toBeLessThanOrEqual(limit + 1e-6);
        expect(money.spent).toBeLessThanOrEqual(money.committed + 1e-6);
      }
    }
  });
});

describe("the receipt", () => {
  it("is the digest of its sorted lines", () => {
    const lines = [
      { address: "refunds/default/r01.2", outcome: "cc33", scores: "dd44" },
      { address: "refunds/default/r01.1", outcome: "aa11", scores: "bb22" },
    ];
    expect(receiptOf(lines, nodeDigest)).toBe(
      "9abb72e80cf01b1baedc2c10b251870dbea60cad6c9db100892a5fcef4229876",
    );
  });
});
