/**
 * `harn why RUN`: why an agent did what it did. The run is played again from its journal, unseen and with nothing outside
 * touched, while its sessions keep what their model calls were made of; so a run that was interrupted, and one that was
 * recorded long ago, can be asked.
 */

import { loadWhy, type WhyAnswer, type WhyQuestion } from "../../agent/index.ts";
import { showText } from "../../diagnostics/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import { exitCode, print, reportAsJson, reportFailure, UsageError } from "../../host/command/index.ts";
import { onState } from "../../interp/index.ts";
import { type Conversation, type Conversations, conversations } from "../../model/index.ts";
import { replayRecord } from "../../run/index.ts";
import type { whyFlags } from "../flags/running.ts";

export type WhyFlags = FlagsOf<typeof whyFlags>;

export async function whyCommand(which: string, flags: WhyFlags): Promise<number> {
  const question = whyQuestion(flags);
  const { depth } = flags;
  const found: { store: Conversations | null } = { store: null };
  const watch = onState(conversations, (store) => {
    store.watch();
    found.store = store;
  });
  const replayed = await replayRecord(which, [watch]);
  if (replayed === undefined) return exitCode.failed;
  const { shown, problem, cut } = replayed;
  const why = await loadWhy();
  try {
    const session = sessionAsked(found.store, { id: flags.session, cut }, why.NoAnswer);
    const answer = why.answerWhy(session, question);
    if (flags.json === true) reportAsJson(answer, 2);
    else print(shown(whyText(why.cutAnswer(answer, depth ?? why.usualDepth))));
  } catch (error) {
    if (!(error instanceof why.NoAnswer)) throw error;
    throw new UsageError(shown(error.message), "HARN-CLI-005");
  }
  return problem === undefined ? exitCode.ok : reportFailure(problem);
}

function whyQuestion(flags: WhyFlags): WhyQuestion {
  const { message, missing, text, tool, instruction, requirement, loop } = flags;
  const asked = { message, missing, text, tool, instruction, requirement };
  const questions = Object.entries(asked).filter(([, value]) => value !== undefined);
  if (questions.length > 1)
    throw new UsageError(`one question at a time: ${questions.map(([name]) => `--${name}`).join(", ")}`);
  const { turn } = flags;
  return {
    ...(turn === undefined ? {} : { turn }),
    ...(message === undefined ? {} : { message }),
    ...(missing === undefined ? {} : { missing }),
    ...(text === undefined ? {} : { text }),
    ...(tool === undefined ? {} : { tool }),
    ...(instruction === undefined ? {} : { rule: instruction }),
    ...(requirement === undefined ? {} : { requirement }),
    ...(loop === undefined ? {} : { loop }),
  };
}

/** The session that is asked about: the named one, else the only outermost one that called a model. `cut`: the record ends early. */
function sessionAsked(
  store: Conversations | null,
  { id, cut }: { readonly id: string | undefined; readonly cut: boolean },
  NoAnswer: Awaited<ReturnType<typeof loadWhy>>["NoAnswer"],
): Conversation {
  const asking = (store?.all() ?? []).filter(({ seen }) => seen.calls.length > 0);
  if (asking.length === 0)
    throw new NoAnswer(
      cut
        ? "the record ends early: up to there no agent had called a model"
        : "no agent of this run called a model",
    );
  const names = asking.map((one) => one.id).join(", ");
  if (id !== undefined) {
    const named = asking.find((one) => one.id === id);
    if (named !== undefined) return named;
    throw new NoAnswer(`no session '${id}' called a model; there are ${names}`);
  }
  const outermost = asking.filter(({ parentId }) => parentId === null);
  if (outermost.length === 1) return outermost[0] as Conversation;
  throw new NoAnswer(`several sessions called models; name one with --session: ${names}`);
}

/** An answer for people: a tree of short sentences. Text of models and tools passes `showText`. */
function whyText(answer: WhyAnswer): string {
  return `${drawnAnswer(answer, "", "").join("\n")}\n`;
}

function drawnAnswer({ claim, because, certainty, more }: WhyAnswer, first: string, rest: string): string[] {
  const mark = certainty === "found" && because.length === 0 ? "  [found by text]" : "";
  const below = because.flatMap((part, at) => {
    const last = at === because.length - 1 && more === 0;
    return drawnAnswer(part, `${rest}${last ? "└─ " : "├─ "}`, `${rest}${last ? "   " : "│  "}`);
  });
  const left = more === 0 ? [] : [`${rest}└─ … ${more} more (--depth, --json)`];
  return [`${first}${showText(claim.replaceAll(/\s+/g, " "))}${mark}`, ...below, ...left];
}
