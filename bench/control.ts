/**
 * What the ladder costs and keeps, without the model's own time: passes over long conversations (processor time), how often a
 * loop that goes on for long is compacted, and how many of the facts that were planted in it are still there after some passes, by
 * the summarizer that writes the summaries. `hybrid`, the usual strategy, stands beside it with the same summarizers.
 */

import { commitPass, ladderView } from "../src/agent/context/compaction/commit.ts";
import type { LadderInput } from "../src/agent/context/compaction/planner.ts";
import { messageWeight, rawTokens } from "../src/agent/context/meter.ts";
import { usualPrompt } from "../src/agent/context/prompts/catalogue.ts";
import { recall } from "../src/agent/context/recall.ts";
import { loopCompactionOf } from "../src/agent/options/compaction-loop-options.ts";
import { usualSettings } from "../src/agent/options/ladder-options.ts";
import { durabilityOf } from "../src/agent/tools/durability.ts";
import { Conversation, messageText } from "../src/model/conversation/conversation.ts";
import { byTool, promptOrigin, spokenOrigin } from "../src/model/index.ts";
import { Dict, type Value } from "../src/values/index.ts";
import { drivenPass, passInputFor, wordsPassed } from "../test/support/ladder-pass.ts";
import { meterRows } from "./control-meter.ts";
import { turnRows } from "./control-turns.ts";
import { median, printRows, type Row } from "./rows.ts";
import { run as stall } from "./stall.ts";

// ── conversations ─────────────────────────────────────────────────────────────────────────────────────────────────

class Work {
  readonly made = new Conversation("bench");
  private calls = 0;

  constructor() {
    this.made.task = this.made.append({ role: "user", content: "Tidy the repository." }, promptOrigin);
  }

  say(text: string): void {
    this.made.append({ role: "user", content: text }, spokenOrigin);
  }

  call(tool: string, args: Record<string, string>, gives: string): void {
    const id = `call_${++this.calls}`;
    const tool_calls = [{ id, name: tool, arguments: args }];
    this.made.append({ role: "assistant", content: `Step ${this.calls}.`, tool_calls });
    const content = `[result of ${tool}]\n${gives}\n[end of ${tool} result]\n`;
    this.made.append({ role: "tool", tool_call_id: id, name: tool, content }, byTool);
  }

  get tokens(): number {
    const view = this.made.view;
    return rawTokens({
      weight: view.reduce((sum, message) => sum + messageWeight(message), 0),
      messages: view.length,
    });
  }
}

const lines = (chars: number, seed: string): string =>
  `${seed} ${"and so it goes on ".repeat(Math.ceil(chars / 18))}`.slice(0, chars);

function long(turns: number): Work {
  const work = new Work();
  for (let n = 0; n < turns; n++)
    work.call(n % 3 === 0 ? "bash" : "read_file", { path: `src/file_${n}.ts` }, lines(1500, `line ${n}`));
  return work;
}

// ── passes ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What a model says to the span and the entries; null: it fails. */
type Summarizer = (messages: readonly { readonly id: string; readonly text: string }[]) => object | null;

function inputOf({ made, tokens }: Work, budget: number, must: readonly string[]): LadderInput {
  return {
    view: ladderView(made),
    task: made.task?.id ?? null,
    trigger: "soft",
    tokens,
    factor: 1,
    budget,
    settings: usualSettings,
    durability: ({ tool }) => durabilityOf(tool, undefined, []),
    written: () => [],
    named: ({ args }) => (typeof args?.path === "string" ? [args.path] : []),
    isWriting: () => false,
    holds: () => false,
    survivors: (_message, text) => must.filter((one) => text.includes(one)),
  };
}

/** Makes a pass; gives whether the view has changed. */
async function pass(
  work: Work,
  budget: number,
  summarizer: Summarizer | null,
  must: readonly string[] = [],
): Promise<boolean> {
  const input = inputOf(work, budget, must);
  const says =
    summarizer === null
      ? null
      : (prompt: string): string => {
          const answer = summarizer(messagesIn(prompt));
          return answer === null ? "They worked." : JSON.stringify(answer);
        };
  const shown = (parts: Readonly<Record<string, Value>>): string =>
    usualPrompt("agent.compaction_message", { ...parts });
  const { end } = await drivenPass(passInputFor(work.made, input, says, shown), says);
  if (end.pass === null) return false;
  commitPass(work.made, input.view, end.pass, () => "", "asset");
  return true;
}

const messagesIn = (prompt: string): { id: string; text: string }[] =>
  (prompt.split("\n\nMESSAGES:\n")[1] ?? "").split(/\n\n(?=\[msg_)/).map((part) => {
    const [, id = "", text = ""] = /^\[(msg_\d+) [^\]]*\]\n([\s\S]*)$/.exec(part) ?? [];
    return { id, text };
  });

// ── summarizers ───────────────────────────────────────────────────────────────────────────────────────────────────

const marked = /FACT-\d+: [^\n.]+/g;
const factsIn = (messages: Parameters<Summarizer>[0]): { text: string; sources: string[] }[] =>
  messages.flatMap(({ id, text }) =>
    (text.match(marked) ?? []).map((fact) => ({ text: fact, sources: [id] })),
  );
const else_ = (messages: Parameters<Summarizer>[0]): { text: string; sources: string[] }[] => [
  { text: "The work went on", sources: [messages[0]?.id ?? ""] },
];

const summarizers: Readonly<Record<string, Summarizer>> = {
  faithful: (messages) => ({ facts: [...else_(messages), ...factsIn(messages)] }),
  forgetful: (messages) => ({
    facts: [...else_(messages), ...factsIn(messages).filter((_fact, index) => index % 2 === 0)],
  }),
  lying: (messages) => ({
    facts: [
      ...else_(messages),
      ...factsIn(messages).map(({ text, sources }) => ({ text: text.replace(/\d\d+/g, "98765"), sources })),
    ],
  }),
};

// ── what is measured ──────────────────────────────────────────────────────────────────────────────────────────────

async function timePass(turns: number): Promise<number> {
  const work = long(turns);
  // A loop carries the sum of its view on from turn to turn.
  const budget = work.tokens;
  // Of this thread: what the compiler and the collector do beside it on a busy machine is no cost of the pass.
  const start = process.threadCpuUsage();
  if (!(await pass(work, budget, null))) throw new Error("nothing was compacted");
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}

async function passTimes(count: number, turns: number): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < count; n++) times.push(await timePass(turns));
  return times;
}

/** Passes of a loop whose every turn adds 1,500 characters, per 100,000 tokens of new messages. */
async function passesPerTokens(): Promise<number> {
  const work = new Work();
  const budget = 100_000;
  let passes = 0;
  let fresh = 0;
  for (let n = 0; fresh < 1_000_000; n++) {
    const before = work.tokens;
    work.call(
      n % 2 === 0 ? "bash" : "read_file",
      { path: `src/f${n}.ts` },
      lines(n % 10 === 0 ? 12_000 : 1500, `line ${n}`),
    );
    const now = work.tokens;
    fresh += now - before;
    if (now >= usualSettings.soft * budget && (await pass(work, budget, summarizers.faithful as Summarizer)))
      passes++;
  }
  return (passes * 100_000) / fresh;
}

interface Kept {
  readonly named: number;
  readonly unnamed: number;
  readonly lies: number;
}

const planted = 24;
const fact = (n: number): string => `FACT-${n}: the port of service ${n} is ${4000 + n * 7}`;

/** Facts in tool results and in what a person says; every third is named by the script. */
async function retention(
  summarizer: Summarizer,
  passes: number,
  strategy: "ladder" | "hybrid",
): Promise<Kept> {
  const work = new Work();
  const budget = 20_000;
  const named = Array.from({ length: planted }, (_, n) => fact(n)).filter((_fact, n) => n % 3 === 0);
  let done = 0;
  for (let n = 0; done < passes && n < 5000; n++) {
    if (n < planted && n % 4 === 3) work.say(`Mind this. ${fact(n)}.`);
    else if (n < planted)
      work.call("ask_service", { about: `${n}` }, `${fact(n)}.\n${lines(700, `answer ${n}`)}`);
    else work.call("ask_service", { about: `${n}` }, lines(1200, `answer ${n}`));
    if (work.tokens < usualSettings.soft * budget) continue;
    if (strategy === "ladder" ? await pass(work, budget, summarizer, named) : hybrid(work, summarizer))
      done++;
  }
  const view = work.made.view.map(messageText).join("\n").replace(/\s+/g, " ");
  const ids = new Set(view.match(/msg_\d+/g) ?? []);
  const home = new Map(
    work.made.log.flatMap(({ id, message }) =>
      (messageText(message).match(marked) ?? []).map((text): [string, string] => [text, id]),
    ),
  );
  const reachable = (text: string): boolean => {
    if (view.includes(text)) return true;
    const id = home.get(text);
    if (strategy === "hybrid" || id === undefined) return false;
    // Named in the view, or found by its words, which the model knows to ask for.
    return (
      ids.has(id) ||
      (recall(work.made, `find:${text}`, 0, 8000) as { text?: string }).text?.includes(id) === true
    );
  };
  const facts = Array.from({ length: planted }, (_, n) => fact(n));
  const rest = facts.filter((text) => !named.includes(text));
  return {
    named: (100 * named.filter((text) => view.includes(text)).length) / named.length,
    unnamed: (100 * rest.filter(reachable).length) / rest.length,
    lies: view.includes("98765") ? 1 : 0,
  };
}

async function hybrid({ made }: Work, summarizer: Summarizer): Promise<boolean> {
  const read = loopCompactionOf(Dict.of({ compaction: "hybrid" }), "bench");
  if (read === null) throw new Error("hybrid");
  const options = { ...read, threshold: 0, toolOutputMaxChars: 16_000 };
  const passed = await wordsPassed(made, options, (prompt) => {
    const answer = summarizer([{ id: "msg_1", text: prompt }]) as { facts: { text: string }[] };
    return { ok: true, text: answer.facts.map(({ text }) => text).join("\n") };
  });
  return passed !== null;
}

export async function run(): Promise<Row[]> {
  const rows: Row[] = [
    ...(await turnRows()),
    ...meterRows(),
    {
      name: "a pass without a model, 2,000 messages",
      value: median(await passTimes(9, 1000)),
      unit: "ms",
      target: "<= 20 ms",
    },
    {
      name: "a pass without a model, 20,000 messages",
      value: median(await passTimes(3, 10_000)),
      unit: "ms",
      target: "<= 250 ms",
    },
    {
      name: "passes per 100,000 tokens of new messages",
      value: await passesPerTokens(),
      unit: "",
      target: "<= 3.5",
    },
  ];
  for (const [name, summarizer] of Object.entries(summarizers)) {
    for (const passes of [1, 5, 10]) {
      const kept = await retention(summarizer, passes, "ladder");
      const beside = await retention(summarizer, passes, "hybrid");
      rows.push(
        { name: `named facts, ${name}, ${passes} passes`, value: kept.named, unit: "%", target: "100 %" },
        {
          name: `  unnamed facts, present or recoverable`,
          value: kept.unnamed,
          unit: "%",
          target: ">= 95 %",
        },
        { name: `  lies in the view`, value: kept.lies, unit: "", target: "0" },
        { name: `  hybrid beside it: named`, value: beside.named, unit: "%", target: "" },
        { name: `  hybrid beside it: unnamed`, value: beside.unnamed, unit: "%", target: "" },
      );
    }
  }
  return [...rows, ...(await stall())];
}

if (import.meta.main) printRows("control", await run());
