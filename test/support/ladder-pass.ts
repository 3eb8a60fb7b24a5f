/** Drives a pass of the ladder by hand: a summarizer that answers at once, prompts that are said as they come. */
import { commitPass } from "../../src/agent/context/compaction/commit.ts";
import type { CompactionAsk } from "../../src/agent/context/compaction/library.ts";
import { type Pass, type PassEnd, type PassInput, runPass } from "../../src/agent/context/compaction/pass.ts";
import type { LadderInput } from "../../src/agent/context/compaction/planner.ts";
import { passInWords, wordsInputOf } from "../../src/agent/context/compaction/words.ts";
import type { CompactionOptions } from "../../src/agent/options/compaction-options.ts";
import { ladderOptionsOf } from "../../src/agent/options/ladder-options.ts";
import type { SummaryAnswer } from "../../src/agent/state/requests.ts";
import { type Conversation, sessionTokens } from "../../src/model/index.ts";
import { Dict, type Value } from "../../src/values/index.ts";

/** What a summarizer says to a question; `null`: nobody is asked. */
type Summarizer = ((prompt: string) => string) | null;

/** `message`: what the prompt of the compaction message gives. */
export const passInputFor = (
  conversation: Conversation,
  ladder: LadderInput,
  summarizer: Summarizer,
  message: (parts: Readonly<Record<string, Value>>) => string,
): PassInput => ({
  conversation,
  ladder,
  options: ladderOptionsOf(Dict.of(summarizer === null ? { summarizer: false } : {}), "test", new Dict()),
  route: new Dict(),
  answers: new Map(),
  digest: (text) => text,
  outside: { ledger: "", gaps: "" },
  // biome-ignore lint/correctness/useYield: nobody is asked.
  *prompt(name, bindings) {
    return name === "agent.summarizer" ? "rules" : message(bindings);
  },
  turnOf: () => 1,
});

/** Drives a pass; `answer` is what whoever summarizes says to a question. */
async function driven<T>(
  steps: Generator<CompactionAsk, T, unknown>,
  answer: (prompt: string) => SummaryAnswer,
): Promise<T> {
  let step = steps.next();
  while (step.done !== true) {
    const ask: CompactionAsk = step.value;
    if (ask.kind === "settle") step = steps.next(await ask.promise);
    else if (ask.kind === "summary") step = steps.next(answer(ask.prompt));
    else throw new Error(`nobody answers ${ask.kind}`);
  }
  return step.value;
}

/** Makes a pass; `calls`: how often the summarizer was asked. */
export async function drivenPass(
  input: PassInput,
  summarizer: Summarizer,
): Promise<{ readonly end: PassEnd; readonly calls: number }> {
  let calls = 0;
  const end = await driven(runPass(input), (prompt) => {
    if (summarizer === null) throw new Error("nobody summarizes");
    calls++;
    return { ok: true, text: summarizer(prompt) };
  });
  return { end, calls };
}

/** Makes a pass in words and commits it, with how many messages it archived; `null`: nothing to do. */
export async function wordsPassed(
  made: Conversation,
  options: CompactionOptions,
  answer: (prompt: string) => SummaryAnswer,
): Promise<{ readonly pass: Pass; readonly archived: number } | null> {
  const input = wordsInputOf(made, options);
  if (options.threshold > 0 && sessionTokens(made) <= options.threshold) return null;
  const pass = await driven(passInWords(input), answer);
  if (pass === null) return null;
  const { archived } = commitPass(made, input.view, pass, () => "", "asset");
  return { pass, archived };
}
