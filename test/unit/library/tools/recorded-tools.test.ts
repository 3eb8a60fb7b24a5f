/** Calls of tools on record: a replay calls nothing, a run that was killed calls what may be called again, with the same key. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  type Effects,
  type JournalRecord,
  type Json,
  MemoryJournal,
  type ResumeOptions,
} from "../../../../src/effects/index.ts";
import { offerProgramTools } from "../../../../src/library/host-tools.ts";
import { tool } from "../../../../src/library/tool.ts";
import type { AnyTool, ToolContext } from "../../../../src/library/types.ts";
import { recordingEffects, replayEffects, unusableHost } from "../../../support/concurrent.ts";
import { createMemoryHost } from "../../../support/memory-host.ts";
import { type ReplayableRun, runUnder } from "../../../support/replay-script.ts";
import { cutJournal, resumingEffects } from "../../../support/resuming-effects.ts";

interface Pays {
  readonly tool: AnyTool;
  readonly calls: Pick<ToolContext, "idempotencyKey" | "attempt">[];
}

function pays(more: { idempotent?: boolean; effect?: "read" | "write" } = {}): Pays {
  const calls: Pays["calls"] = [];
  const made = tool({
    name: "pay",
    description: "Pays.",
    input: z.object({ euros: z.number() }),
    execute: ({ euros }, { idempotencyKey, attempt }) => {
      calls.push({ idempotencyKey, attempt });
      if (euros < 0) throw new RangeError("less than nothing");
      return { euros, at: new Date(0), big: 2n ** 60n, raw: new Uint8Array([1]) };
    },
    ...more,
  });
  return { tool: made, calls };
}

const script = `let paid = host_call("tool.pay", {euros: 5})
println([paid.euros, paid.at, paid.big, type_of(paid.raw)])
try { host_call("tool.pay", {euros: -1}) } catch e { println("\${e.name}: \${e.message}") }`;
const printed = "[5, 1970-01-01T00:00:00.000Z, 1152921504606846976, bytes]\nRangeError: less than nothing\n";

const offering = (...tools: AnyTool[]) => ({
  onRuntime: (runtime: Parameters<typeof offerProgramTools>[0]) =>
    offerProgramTools(runtime, tools, { run: "r" }),
});

async function recorded(one: AnyTool): Promise<MemoryJournal> {
  const journal = new MemoryJournal();
  const run = await runUnder(script, recordingEffects(journal), createMemoryHost(), offering(one));
  expect(run.stdout).toBe(printed);
  return journal;
}

const at = (journal: MemoryJournal, kind: string): number =>
  journal.lines.findIndex((line) => (line as { readonly k?: string }).k === kind);

/** The journal as it is when the process dies in its first call. */
async function killedInCall(one: AnyTool): Promise<MemoryJournal> {
  const whole = await recorded(one);
  return cutJournal(whole, at(whole, "tool.pay") + 1);
}

function resumed(
  journal: MemoryJournal,
  one: AnyTool,
  options: Partial<ResumeOptions> = {},
): Promise<ReplayableRun> {
  return runUnder(
    script,
    resumingEffects(journal.read(), journal, options),
    createMemoryHost(),
    offering(one),
  );
}

it("a call is one effect of the tool's name, with its key", async () => {
  const { tool: one, calls } = pays();
  const journal = await recorded(one);
  const effects = journal.read().records.filter(({ t }) => t === "intent");
  expect(effects).toMatchObject([
    { t: "intent", c: "write", k: "tool.pay", p: "0", n: 0 },
    { t: "intent", c: "write", k: "tool.pay", p: "0", n: 1 },
  ]);
  expect(calls).toEqual([
    { idempotencyKey: "r#0#0", attempt: 1 },
    { idempotencyKey: "r#0#1", attempt: 1 },
  ]);
});

describe("a replay", () => {
  it("calls nothing", async () => {
    const { tool: one, calls } = pays();
    const journal = await recorded(one);
    const again = pays();
    const run = await runUnder(script, replayEffects(journal.read()), unusableHost(), offering(again.tool));
    expect(run.stdout).toBe(printed);
    expect([calls.length, again.calls.length]).toEqual([2, 0]);
  });

  it("needs no tool", async () => {
    const journal = await recorded(pays().tool);
    const run = await runUnder(script, replayEffects(journal.read()), unusableHost());
    expect(run.stdout).toBe(printed);
  });

  it("does not mind that the tool has another schema now", async () => {
    const journal = await recorded(pays().tool);
    const other = tool({
      name: "pay",
      description: "Pays.",
      input: z.object({ cents: z.number() }),
      execute: () => 1,
    });
    const run = await runUnder(script, replayEffects(journal.read()), unusableHost(), offering(other));
    expect(run.stdout).toBe(printed);
  });

  it("says what is called now and was not then", async () => {
    const journal = await recorded(pays().tool);
    const other = script.replace("euros: 5", "euros: 6");
    const run = await runUnder(other, replayEffects(journal.read()), unusableHost(), offering(pays().tool));
    expect(run.guarded.kind).toBe("problem");
  });
});

describe("a run that was killed in a call", () => {
  it.each([
    ["one that is idempotent", { idempotent: true }],
    ["one that reads", { effect: "read" as const }],
  ])("calls %s again, with the same key", async (_name, more) => {
    const journal = await killedInCall(pays(more).tool);
    const { tool: one, calls } = pays(more);
    expect((await resumed(journal, one)).stdout).toBe(printed);
    expect(calls[0]).toEqual({ idempotencyKey: "r#0#0", attempt: 2 });
    expect(calls[1]).toEqual({ idempotencyKey: "r#0#1", attempt: 1 });
  });

  it("counts each time that the call was begun, and not how often the run went on", async () => {
    const again: JournalRecord = { t: "resume", keep: 1_000, runtime: "0" };
    const attempt = async (more: readonly JournalRecord[], options: Partial<ResumeOptions> = {}) => {
      const journal = await killedInCall(pays().tool);
      for (const record of more) journal.append(record);
      const { tool: one, calls } = pays();
      await resumed(journal, one, { onDoubt: "redo", ...options });
      return calls[0]?.attempt;
    };
    expect(await attempt([])).toBe(2);
    expect(await attempt([again])).toBe(3);
    expect(await attempt([again, again])).toBe(4);
    const parked: JournalRecord = { t: "stop", turn: 9, reason: "parked", code: 75 };
    expect(await attempt([again, parked])).toBe(2);
    expect(await attempt([again, parked, again])).toBe(3);
  });

  it("counts a call that failed, and is tried again", async () => {
    const { tool: one, calls } = pays();
    const refuses = 'host_call("tool.pay", {euros: -1})';
    const journal = new MemoryJournal();
    const under = (effects: Effects) => runUnder(refuses, effects, createMemoryHost(), offering(one));
    expect((await under(recordingEffects(journal))).error).toContain("less than nothing");
    await under(resumingEffects(journal.read(), journal));
    expect(calls.map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it("counts none of a run that was killed before the call", async () => {
    const whole = await recorded(pays({ idempotent: true }).tool);
    const journal = cutJournal(whole, at(whole, "tool.pay"));
    journal.append({ t: "resume", keep: journal.lines.length - 1, runtime: "0" });
    const { tool: one, calls } = pays({ idempotent: true });
    await resumed(journal, one);
    expect(calls[0]).toEqual({ idempotencyKey: "r#0#0", attempt: 1 });
  });

  it("asks about any other, and waits where nobody is", async () => {
    const journal = await killedInCall(pays().tool);
    const { tool: one, calls } = pays();
    const asked: Json[] = [];
    const run = await resumed(journal, one, { onQuestion: (_place, body) => void asked.push(body) });
    expect(run.guarded).toMatchObject({ kind: "stopped" });
    expect(calls).toEqual([]);
    expect(asked).toMatchObject([{ request_kind: "doubt", effect: "tool.pay", args: { euros: 5 } }]);
  });

  it.each([
    ["redo", printed, [2, 1]],
    ["skip", /cannot access property `euros` on nil/, []],
    ["fail", /interrupted/, []],
  ] as const)("does with it what `onDoubt: %s` says", async (onDoubt, wanted, attempts) => {
    const journal = await killedInCall(pays().tool);
    const { tool: one, calls } = pays();
    const run = await resumed(journal, one, { onDoubt });
    expect(`${run.stdout}${run.error}`).toMatch(wanted);
    expect(calls.map(({ attempt }) => attempt)).toEqual(attempts);
  });

  it("does not go on without the tool", async () => {
    const journal = await killedInCall(pays({ idempotent: true }).tool);
    const run = await runUnder(script, resumingEffects(journal.read(), journal), createMemoryHost());
    expect(run.guarded).toMatchObject({
      kind: "problem",
      problem: { message: "tool.pay had begun when the run ended, and nobody offers it here" },
    });
  });
});
