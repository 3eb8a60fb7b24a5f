import { describe, expect, test } from "vitest";
import { fileChange, noteChange } from "../../../../../src/agent/completion/repetition/files.ts";
import { foldError, foldResult } from "../../../../../src/agent/completion/repetition/folding.ts";
import { canonical, effectOf, periodOf } from "../../../../../src/agent/completion/repetition/signatures.ts";
import {
  type Sighting,
  type WatchedCall,
  type WatchRules,
  watchTurn,
} from "../../../../../src/agent/completion/repetition/watcher.ts";
import { newProgressState } from "../../../../../src/agent/state/repetition-state.ts";

const digest = (text: string): string => text;
const usual: WatchRules = { threshold: 3, interventions: 1 };

function call(tool: string, text: string, more: Partial<WatchedCall> = {}): WatchedCall {
  const usually = { ok: true, runtime: false, exempt: false, change: null, paths: [], acts: false };
  return { tool, arguments: "{}", text, ...usually, ...more };
}

/** What the watcher says turn by turn. */
function watch(
  turns: readonly (readonly WatchedCall[])[],
  rules = usual,
  standings: readonly string[] = [],
): Sighting[] {
  const state = newProgressState();
  return turns.map((calls, at) => watchTurn(state, { calls, standing: standings[at] ?? "" }, rules, digest));
}

const actions = (sightings: readonly Sighting[]): string[] =>
  sightings.map(({ action, pattern }) => (action === "none" ? "" : `${action} ${pattern}`));
const times = (count: number, turn: readonly WatchedCall[]): (readonly WatchedCall[])[] =>
  Array.from({ length: count }, () => turn);

describe("progress", () => {
  test("reading something new is, reading it again is not", () => {
    const sightings = watch([
      [call("read", "a")],
      [call("read", "b")],
      [call("read", "a")],
      [call("read", "b")],
    ]);
    expect(sightings.map(({ turns }) => turns)).toEqual([0, 0, 1, 2]);
  });

  test("a poll with another answer is, the time it took is not", () => {
    const poll = (text: string): WatchedCall[] => [call("status", text)];
    expect(watch([poll("40 %"), poll("50 %")]).map(({ turns }) => turns)).toEqual([0, 0]);
    expect(watch([poll("running (1.2s)"), poll("running (340 ms)")]).map(({ turns }) => turns)).toEqual([
      0, 1,
    ]);
  });

  test("items put to and fro are not, and neither are the runtime's own tools", () => {
    const turn = [call("work_item_update", "ok", { runtime: true })];
    const sightings = watch(times(5, turn), usual, ["a", "b", "a", "b", "a"]);
    expect(sightings.map(({ turns }) => turns)).toEqual([0, 0, 1, 2, 3]);
  });

  test("a person's message resets the streak, and the warning is due again", () => {
    const turn = [call("run", "x")];
    const sightings = watch(times(8, turn), usual, ["1", "1", "1", "2", "2", "2", "2", "2"]);
    expect(actions(sightings)).toEqual(["", "", "warn repeat", "", "", "warn repeat", "", ""]);
  });

  test("a turn of nothing but waits is as if it had not been", () => {
    const state = newProgressState();
    const read = { calls: [call("read", "a")], standing: "" };
    const wait = { calls: [call("status", "running", { exempt: true })], standing: "" };
    for (const turn of [read, read, wait, wait, wait, wait, wait]) watchTurn(state, turn, usual, digest);
    expect(state.streak).toBe(1);
    expect(watchTurn(state, read, usual, digest)).toMatchObject({ action: "warn", pattern: "repeat" });
  });
});

describe("patterns", () => {
  test("repeat from 3, and the end `threshold` turns behind the warning", () => {
    expect(actions(watch(times(6, [call("run", "x")])))).toEqual([
      "",
      "",
      "warn repeat",
      "",
      "",
      "stop repeat",
    ]);
  });

  test("the order of a batch says nothing", () => {
    const [a, b] = [call("read", "a"), call("list", "b")];
    expect(
      actions(
        watch([
          [a, b],
          [b, a],
          [a, b],
        ]),
      ),
    ).toEqual(["", "", "warn repeat"]);
  });

  test("a cycle of two, from its second round", () => {
    const [a, b] = [[call("read", "a")], [call("run", "b")]];
    expect(actions(watch([a, b, a, b]))).toEqual(["", "", "", "warn cycle"]);
  });

  test("the same failure, whatever was tried", () => {
    const tried = (path: string): WatchedCall[] => [
      call("read", `no such file: ${path}`, { ok: false, arguments: `{"path":"${path}"}` }),
    ];
    expect(actions(watch([tried("src/a.ts"), tried("lib/b.py"), tried("c.md")]))).toEqual([
      "",
      "",
      "warn error",
    ]);
  });

  test("a file that comes back to what it was", () => {
    const edit = (old: string, next: string): WatchedCall[] => [
      call("edit", "ok", {
        arguments: `${old} ${next}`,
        change: { path: "a", content: null, replaced: [old, next] },
      }),
    ];
    expect(actions(watch([edit("x", "y"), edit("y", "x"), edit("x", "y"), edit("y", "x")]))).toEqual([
      "",
      "",
      "warn undo",
      "",
    ]);
  });

  test("counting on is only ever warned of, once", () => {
    const turns = Array.from({ length: 30 }, (_, at) => [call("count", `${at} lines`)]);
    const said = actions(watch(turns));
    expect(said.filter((text) => text !== "")).toEqual(["warn churn"]);
    expect(said.indexOf("warn churn")).toBe(9);
  });

  test("no pattern: idle at the threshold", () => {
    const read = (text: string): WatchedCall[] => [call("read", text)];
    const turns = ["a", "b", "c", "d", "c", "a", "b"].map(read);
    expect(actions(watch(turns))).toEqual(["", "", "", "", "", "", "warn idle"]);
  });
});

describe("rules", () => {
  test("no interventions: it ends at the threshold, and a pattern's own number says nothing", () => {
    const rules = { threshold: 4, interventions: 0 };
    expect(actions(watch(times(6, [call("run", "x")]), rules))).toEqual([
      "",
      "",
      "",
      "",
      "stop repeat",
      "stop repeat",
    ]);
  });

  test("two interventions: two warnings, `threshold` turns apart", () => {
    const rules = { threshold: 2, interventions: 2 };
    expect(actions(watch(times(7, [call("run", "x")]), rules))).toEqual([
      "",
      "",
      "warn repeat",
      "",
      "warn repeat",
      "",
      "stop repeat",
    ]);
  });

  test("progress between makes the streak a new one", () => {
    const same = [call("run", "x")];
    const turns = [same, same, same, same, [call("run", "new")], same, same, same];
    expect(actions(watch(turns))).toEqual(["", "", "warn repeat", "", "", "", "", "warn repeat"]);
  });
});

describe("folding", () => {
  test.each([
    ["took 1.2s at 2026-11-22T23:57:00Z", "took 950 ms at 2025-01-02 03:04:05"],
    ["id 123e4567-e89b-12d3-a456-426614174000", "id 9b2d4c1e-0000-4fff-8aaa-0123456789ab"],
    ["at 0xdeadbeef in 3m12s", "at 0x7fff01 in 4 minutes"],
  ])("%s is %s", (one, other) => {
    expect(foldResult(one)).toBe(foldResult(other));
  });

  test.each([
    ["12 files", "13 files"],
    ["10 items", "10 times"],
    ["port 3000", "port 3001"],
  ])("%s is not %s", (one, other) => {
    expect(foldResult(one)).not.toBe(foldResult(other));
  });

  test("errors lose what they quote and which paths they name", () => {
    expect(foldError('cannot find module "a" in src/a.ts:12:4')).toBe(
      foldError("cannot find module 'bb' in lib/b/c.py"),
    );
    expect(foldError("permission denied: /etc/x")).not.toBe(foldError("no such file: /etc/x"));
    expect(foldError("it's not the user's file")).toBe("it's not the user's file");
  });

  test("a failed call is its tool and its error", () => {
    const failed = { tool: "read", arguments: '{"a":1}', ok: false, text: "no such file: a.ts" };
    expect(effectOf(failed)).toBe(effectOf({ ...failed, arguments: '{"a":2}', text: "no such file: b.ts" }));
    expect(effectOf({ ...failed, ok: true })).not.toBe(
      effectOf({ ...failed, ok: true, arguments: '{"a":2}' }),
    );
  });
});

describe("signatures", () => {
  test("the order of keys says nothing", () => {
    expect(canonical({ b: [{ d: 1, c: 2 }], a: null })).toBe(canonical({ a: null, b: [{ c: 2, d: 1 }] }));
  });

  test("the shortest period is found", () => {
    expect(periodOf(["a", "b", "a", "b"])).toBe(2);
    expect(periodOf(["x", "a", "b", "c", "a", "b", "c"])).toBe(3);
    expect(periodOf(["a", "b", "a", "c"])).toBe(0);
    expect(periodOf([..."abcdef", ..."abcdef"])).toBe(6);
  });
});

describe("files", () => {
  const changes = (...input: (string | readonly [string, string])[]): boolean[] => {
    const state = newProgressState();
    return input.map((one) =>
      noteChange(
        state,
        typeof one === "string"
          ? { path: "a", content: one, replaced: null }
          : { path: "a", content: null, replaced: one },
        digest,
      ),
    );
  };

  test("a whole content that it had", () => {
    expect(changes("one", "two", "one")).toEqual([false, false, true]);
  });

  test("writing what is there changes nothing", () => {
    expect(changes("one", "one")).toEqual([false, false]);
  });

  test("a change and its opposite", () => {
    expect(changes(["x", "y"], ["y", "z"], ["z", "y"], ["y", "x"])).toEqual([false, false, true, true]);
  });

  test("other changes are new, however many there are", () => {
    const many = Array.from({ length: 250 }, (_, at) => [`${at}`, `${at + 1}`] as const);
    expect(changes(...many)).toEqual(many.map(() => false));
  });

  test("the names that tools use for it", () => {
    expect(fileChange("a", { old_string: "x", new_string: "y" })?.replaced).toEqual(["x", "y"]);
    expect(fileChange("a", { content: "x" })?.content).toBe("x");
    expect(fileChange("a", { mode: "x" })).toBeNull();
  });
});

describe("a loop that only looks as if it went on", () => {
  /** The turn (from 1) that would end the loop, of forty; null: none. */
  const stopOf = (turn: (n: number) => WatchedCall, count = 40): number | null => {
    const at = watch(Array.from({ length: count }, (_, n) => [turn(n + 1)])).findIndex(
      ({ action }) => action === "stop",
    );
    return at < 0 ? null : at + 1;
  };
  const args = (value: object): { readonly arguments: string } => ({ arguments: canonical(value) });
  const uuidOf = (n: number): string => `${String(n).padStart(8, "0")}-aaaa-4bbb-8ccc-0123456789ab`;
  const hexOf = (n: number): string => (0xa1b2c3d + n * 7919).toString(16);
  const failed = (text: string): WatchedCall => call("ask", text, { ok: false });

  test.each<[string, (n: number) => WatchedCall]>([
    ["blanks at the end", (n) => call("grep", "no hits", args({ q: `port${" ".repeat(n)}` }))],
    ["blanks within", (n) => call("grep", "no hits", args({ q: `the${" ".repeat(n)}port` }))],
    ["lines and tabs", (n) => call("grep", "no hits", args({ q: `port${"\n\t".repeat(n)}` }))],
    ["a UUID", (n) => call("grep", "no hits", args({ q: "port", id: uuidOf(n) }))],
    ["a hexadecimal nonce", (n) => call("grep", "no hits", args({ q: "port", salt_of: hexOf(n) }))],
    [
      "a nonce of letters",
      (n) => call("grep", "no hits", args({ q: "port", nonce: "abcdefgh".slice(n % 7) })),
    ],
    [
      "a nonce that comes back",
      (n) => call("grep", `no hits (${hexOf(n)})`, args({ q: "port", x: hexOf(n) })),
    ],
    ["a time", (n) => call("grep", "no hits", args({ q: "port", at: `2026-01-01T00:00:${10 + n}Z` }))],
    ["a counter", (n) => call("grep", "no hits", args({ q: "port", attempt_no: n }))],
    ["a counter in a text", (n) => call("grep", "no hits", args({ q: `port, try ${n}` }))],
    [
      "a nonce in a command",
      (n) => call("bash", "no hits", { ...args({ c: `grep port # ${hexOf(n)}` }), acts: true }),
    ],
    ["answers that grow by blanks", (n) => call("grep", `no hits${" ".repeat(n)}`)],
    ["errors that count", (n) => failed(`request ${n} was refused`)],
    ["errors with an id", (n) => failed(`request ${hexOf(n)} was refused`)],
    ["errors of another IP", (n) => failed(`connect ECONNREFUSED 10.0.0.${n}:${8000 + n}`)],
    ["errors of another host", (n) => failed(`connection to node-${n}.example.net:80 refused`)],
    ["errors of another named host", (n) => failed(`${"abcdefghij"[n % 10]}x.data.example.net refused`)],
    ["errors of another URL", (n) => failed(`GET https://example.net/${"abcdefghij"[n % 10]} failed`)],
    ["errors of another mailbox", (n) => failed(`no such user: ${"abcdefghij"[n % 10]}@example.net`)],
    ["errors of another address of memory", (n) => failed(`segfault at 0x${hexOf(n)}`)],
    ["errors that grow by blanks", (n) => failed(`refused${" ".repeat(n)}`)],
  ])("%s", (_, turn) => {
    const stop = stopOf(turn);
    expect(stop).not.toBeNull();
    expect(stop).toBeLessThanOrEqual(30);
  });

  const words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"];
  test.each<[string, (n: number) => WatchedCall]>([
    ["fifty pages", (n) => call("fetch", `items ${10 * n} to ${10 * n + 9}`, args({ page: n }))],
    [
      "files that say the same",
      (n) => call("read", "{}", { ...args({ path: `f${n}.json` }), paths: [`f${n}.json`] }),
    ],
    [
      "greps without hits",
      (n) => call("grep", "no hits", args({ q: `${words[n % 10]} ${words[Math.floor(n / 10)]}` })),
    ],
    [
      "files that are written",
      (n) => {
        const [path, content] = [`f${n}.txt`, `text ${n}`];
        return call("write", "ok", {
          ...args({ path, content }),
          change: fileChange(path, { content }),
          acts: true,
        });
      },
    ],
    ["records by id that differ", (n) => call("get", `name: ${words[n % 10]}${n}`, args({ id: uuidOf(n) }))],
  ])("healthy: %s", (_, turn) => {
    expect(stopOf(turn, 50)).toBeNull();
  });

  test("healthy: test and fix, with one failure all along", () => {
    const turns = Array.from({ length: 40 }, (_, n) => {
      const content = `fix number ${n}`;
      const edit = call("write", "ok", {
        ...args({ path: "a.ts", content }),
        change: fileChange("a.ts", { content }),
        acts: true,
      });
      return [n % 2 === 0 ? edit : call("test", "1 failure in 0.3 s", { ok: false, acts: true })];
    });
    expect(watch(turns).filter(({ action }) => action === "stop")).toEqual([]);
  });
});
