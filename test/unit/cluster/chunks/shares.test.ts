/** How many trials a chunk has, and what it may use: never more than there is. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ChunkPace,
  chunksAhead,
  connectionShare,
  moneyShare,
} from "../../../../src/cluster/chunks/chunk-shares.ts";
import { rulesOf } from "../../../../src/eval/engine/index.ts";

describe("the size of a chunk", () => {
  it("is what runs at once until something was measured, then a minute's worth, at most 64, and fewer towards the end", () => {
    const pace = new ChunkPace();
    expect(pace.trialsFor({ open: 1000, chunks: 2, atOnce: 16 })).toBe(16);
    expect(pace.trialsFor({ open: 10, chunks: 1, atOnce: 16 })).toBe(5);
    pace.measured(16, 30_000);
    expect(pace.trialsFor({ open: 1000, chunks: 4, atOnce: 16 })).toBe(32);
    expect(pace.trialsFor({ open: 40, chunks: 4, atOnce: 16 })).toBe(5);
    // Quick ones are not worth a chunk of their own.
    pace.measured(1000, 1000);
    expect(pace.trialsFor({ open: 40, chunks: 4, atOnce: 16 })).toBe(64);
    expect(pace.trialsFor({ open: 0, chunks: 9, atOnce: 1 })).toBeGreaterThan(0);
  });

  it("of slow trials is no smaller than what runs at once", () => {
    const pace = new ChunkPace();
    pace.measured(16, 600_000);
    expect(pace.trialsFor({ open: 1000, chunks: 4, atOnce: 16 })).toBe(16);
  });

  it("chunks wait for whoever becomes free", () => {
    expect([0, 1, 4, 10].map(chunksAhead)).toEqual([2, 2, 2, 5]);
  });
});

const ruleText = fc.oneof(
  fc.integer({ min: 1, max: 200 }).map(String),
  fc
    .tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 60 }))
    .map(([min, start, max]) => `${min}-${min + start}-${min + start + max}`),
);

it("connections of the chunks at work are never more than there are", () => {
  fc.assert(
    fc.property(
      ruleText,
      fc.integer({ min: 1, max: 32 }),
      fc.integer({ min: 1, max: 40 }),
      (rule, atOnce, count) => {
        const rules = { openai: rule };
        const given: Readonly<Record<string, string>>[] = [];
        for (let n = 0; n < count; n++) {
          const share = connectionShare({ rules, given, atOnce });
          if (share === undefined) break;
          const own = rulesOf(share).get("openai");
          expect(own).toBeDefined();
          expect(own?.min).toBeGreaterThanOrEqual(1);
          expect(own?.start).toBeGreaterThanOrEqual(own?.min ?? 0);
          expect(own?.max).toBeGreaterThanOrEqual(own?.start ?? 0);
          given.push(share);
        }
        const most = rulesOf(rules).get("openai")?.max ?? 0;
        const used = given
          .map((one) => rulesOf(one).get("openai")?.max ?? 0)
          .reduce((sum, own) => sum + own, 0);
        expect(given.length).toBeGreaterThan(0);
        expect(used).toBeLessThanOrEqual(most);
      },
    ),
  );
  expect(connectionShare({ rules: {}, given: [{}, {}], atOnce: 16 })).toEqual({});
});

it("money of the chunks at work is never more than there is, and whoever is alone gets all of it", () => {
  const amount = fc.double({ min: 0, max: 100, noNaN: true });
  fc.assert(
    fc.property(amount, fc.array(fc.tuple(amount, amount), { maxLength: 20 }), (limit, wishes) => {
      let left = limit;
      let chunks = 0;
      for (const [expectedUsd, tooLittle] of wishes) {
        const share = moneyShare({
          unspent: { costUsd: left, tokens: null },
          expectedUsd,
          tooLittle: { costUsd: tooLittle, tokens: 0 },
          chunks,
        });
        if (share === undefined) {
          expect(chunks).toBeGreaterThan(0);
          continue;
        }
        expect(share.tokens).toBe(null);
        expect(share.costUsd).toBeGreaterThanOrEqual(0);
        expect(share.costUsd).toBeLessThanOrEqual(left);
        left -= share.costUsd as number;
        chunks++;
      }
    }),
  );
  const none = {
    unspent: { costUsd: null, tokens: null },
    expectedUsd: 5,
    tooLittle: { costUsd: 1, tokens: 1 },
  };
  expect(moneyShare({ ...none, chunks: 3 })).toEqual({ costUsd: null, tokens: null });
});
