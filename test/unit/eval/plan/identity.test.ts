/** Ids, digests, order and streams: other programs must be able to make the same ones (docs/evals.md). */
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  addressFits,
  canonicalJson,
  decodePart,
  encodePart,
  narrowed,
  noLimits,
  parseAddress,
  parseGate,
  passCount,
  samplesOf,
  shuffledBySeed,
  streamSeed,
  trialAddress,
  trialIdentity,
  variantsOf,
} from "../../../../src/eval/index.ts";
import { type Dict, Float, jsonParse } from "../../../../src/values/index.ts";

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
const row = (text: string, number: number) => ({ row: jsonParse(text) as Dict, number });
const rules = { task: "t", path: "rows.jsonl", shuffle: null, choice: null, take: null, digest };
const numbered = (count: number) =>
  Array.from({ length: count }, (_, at) => row(`{"id": "c${String(at + 1).padStart(2, "0")}"}`, at + 1));

describe("canonical JSON", () => {
  test("keys by UTF-16 units, floats with .0", () => {
    const value = jsonParse(
      '{"\\ue000": 1, "\\ud83d\\ude00": 2, "b": [1.0, 0.1, 1e3, "\\u007f"], "a": null}',
    );
    expect(canonicalJson(value)).toBe('{"a":null,"b":[1.0,0.1,1000.0,"\u007f"],"😀":2,"\ue000":1}');
  });
  test("the digest of a sample", () => {
    const argument = '{"topic": "even", "id": "c01", "input": "What is 2 + 2?", "target": "4"}';
    const [sample] = samplesOf([row(argument, 1)], rules);
    expect(sample?.digest.slice(0, 16)).toBe("27015621270ebf89");
  });
  test("what is no JSON is refused", () => {
    expect(() => canonicalJson(new Float(Number.NaN))).toThrow();
    let deep = "1";
    for (let i = 0; i < 1200; i++) deep = `[${deep}]`;
    expect(() => canonicalJson(jsonParse(deep))).toThrow();
  });
});

describe("samples", () => {
  test("an id is made of the row, and equal rows are numbered", () => {
    const text = '{"input": "What is 2 + 2?", "target": "4"}';
    const ids = samplesOf([row(text, 1), row(text, 2), row('{"id": 7}', 3), row(text, 4)], rules).map(
      ({ id }) => id,
    );
    expect(ids).toEqual(["#dfc0a60d", "#dfc0a60d-2", "7", "#dfc0a60d-3"]);
  });
  test("an id that is no text or number is refused", () => {
    expect(() => samplesOf([row('{"id": {"a": 1}}', 3)], rules)).toThrow(
      expect.objectContaining({ value: "rows.jsonl, line 3: id: expected a text or a number, got dict" }),
    );
  });
  test("a row that is inserted changes no other id", () => {
    const rows = [row('{"a": 1}', 1), row('{"a": 2}', 2)];
    const before = samplesOf(rows, rules).map(({ id }) => id);
    const after = samplesOf([row('{"a": 0}', 1), ...rows], rules).map(({ id }) => id);
    expect(after.slice(1)).toEqual(before);
  });
  test("a given id that repeats is an error", () => {
    expect(() => samplesOf([row('{"id": 1}', 1), row('{"id": "1"}', 4)], rules)).toThrow(
      expect.objectContaining({
        value: "rows.jsonl: the id 1 occurs twice (rows 1 and 4)",
        code: "HARN-EVL-005",
      }),
    );
  });
  test("the order of a seed, and what a further row does to it", () => {
    const order = (count: number) =>
      samplesOf(numbered(count), { ...rules, shuffle: "7" })
        .map(({ id }) => id)
        .join(" ");
    expect(order(6)).toBe("c02 c05 c06 c03 c04 c01");
    expect(order(7)).toBe("c02 c05 c06 c03 c04 c07 c01");
    expect(shuffledBySeed([{ id: "c01" }, { id: "c02" }], "7", digest).map(({ id }) => id)).toEqual([
      "c02",
      "c01",
    ]);
  });
  test("so many, from each group its share", () => {
    const rows = Array.from({ length: 20 }, (_, at) =>
      row(`{"id": "${at}", "g": "${at < 15 ? "a" : at < 19 ? "b" : "c"}"}`, at + 1),
    );
    const choice = { n: 8, seed: "1", by: "g" };
    const chosen = samplesOf(rows, { ...rules, choice });
    const count = (group: string) => chosen.filter(({ body }) => body.get("g") === group).length;
    expect([count("a"), count("b"), count("c")]).toEqual([6, 1, 1]);
    expect(chosen.map(({ ord }) => ord)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    const all = samplesOf(rows, { ...rules, choice: { ...choice, n: 2 } });
    expect(new Set(all.map(({ body }) => body.get("g"))).size).toBe(3);
    expect(samplesOf(rows, { ...rules, take: 3 }).map(({ id }) => id)).toEqual(["0", "1", "2"]);
  });
});

describe("variants", () => {
  test("the product of a dict, keys sorted", () => {
    const argument = jsonParse('{"style": ["short", "long"], "model": ["a", "b"]}');
    expect(variantsOf("t", argument, digest).map(({ name }) => name)).toEqual([
      "model=a,style=short",
      "model=a,style=long",
      "model=b,style=short",
      "model=b,style=long",
    ]);
    expect(variantsOf("t", null, digest)[0]).toMatchObject({ name: "default", key: "default" });
  });
});

describe("streams and identity", () => {
  test("the seed of a role", () => {
    const at = { seed: "s1", task: "refunds", sample: "r01", role: "agent", stream: 2 } as const;
    expect(streamSeed(digest, at)).toBe("b4f01f6978c1738bc670e85be12b9f6d");
  });
  test("every part of a trial counts", () => {
    const of = { task: "t", version: "1", sample: "s", variant: "v", epoch: 1, streams: {} };
    const one = trialIdentity(digest, of);
    expect(one).toBe(digest('["trial",1,"t","1","s","v",1,{}]'));
    for (const change of [{ task: "u" }, { version: "2" }, { epoch: 2 }, { streams: { user: 2 } }])
      expect(trialIdentity(digest, { ...of, ...change })).not.toBe(one);
  });
});

describe("addresses", () => {
  const key = { task: "refunds", variant: "model=a/b", sample: "r 0.7", epoch: 2 };
  test("what has a meaning in them is encoded", () => {
    expect(encodePart("a/b:c.d~e%f g\u00a0h")).toBe("a%2Fb%3Ac%2Ed%7Ee%25f%20g%C2%A0h");
    expect(decodePart(encodePart("a/b:c.d~e%f g\u00a0h"))).toBe("a/b:c.d~e%f g\u00a0h");
    expect(trialAddress("last", key, 2)).toBe("last:refunds/model=a%2Fb/r%200%2E7.2~2");
  });
  test("parts may be left out", () => {
    const whole = parseAddress(trialAddress("set", key));
    expect(whole).toMatchObject({ set: "set", ...key, attempt: null });
    for (const text of [
      "last:r%200%2E7.2",
      "last:refunds/r%200%2E7",
      "last:.2",
      "last:model=a%2Fb/r%200%2E7.2",
    ]) {
      const pattern = parseAddress(text);
      expect(pattern && addressFits(pattern, key), text).toBe(true);
    }
    expect(addressFits(parseAddress("last:r07.2") as never, key)).toBe(false);
    expect(parseAddress("no-colon")).toBeUndefined();
  });
});

test("the limits of a sample narrow those of its task", () => {
  const task = { ...noLimits, turns: 4, costUsd: 1 };
  expect(narrowed(task, { ...noLimits, turns: 9, timeMs: 5 })).toEqual({
    ...noLimits,
    turns: 4,
    costUsd: 1,
    timeMs: 5,
  });
});

test("gates are read into their parts", () => {
  expect(parseGate("t", "pass^4(tone) surely >= .8", ["tone"])).toMatchObject({
    kind: "surely",
    metric: "pass^4(tone)",
    op: ">=",
    bound: 0.8,
  });
  expect(parseGate("t", "success/model=a[topic=math] not_below baseline by 0.05", [])).toMatchObject({
    kind: "not_below",
    metric: "success",
    variant: "model=a",
    group: { field: "topic", value: "math" },
    margin: 0.05,
  });
  expect(passCount("pass@12")).toBe(12);
  expect(passCount("success")).toBeUndefined();
});
