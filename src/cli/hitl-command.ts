/** `harn hitl`: the questions that parked runs wait with, and their answers. */

import { userInfo } from "node:os";
import { showOneLine } from "../diagnostics/index.ts";
import type { Json } from "../effects/index.ts";
import { existingStore, type Question, type Store, StoreError } from "../store/index.ts";
import { decodeValue, toJson } from "../values/index.ts";
import { exitCode } from "./exit-codes.ts";
import { explained, inStore, ownStateFolder, runNamed } from "./state.ts";
import { tell, tellJson } from "./tell.ts";

export interface HitlFlags {
  readonly json?: boolean;
  /** Which question of the run, when it asks several: `path#number`. */
  readonly question?: string;
  readonly reason?: string;
  readonly reviewer?: string;
}

const print = tell;

/** What a question says, as plain JSON. */
function bodyOf(question: Question): { readonly [name: string]: Json } {
  try {
    const plain = toJson(decodeValue(question.body)) as Json;
    if (typeof plain === "object" && plain !== null && !Array.isArray(plain)) {
      return plain as { readonly [name: string]: Json };
    }
    return { prompt: plain };
  } catch {
    return { prompt: question.body };
  }
}

export function listQuestions(flags: HitlFlags): number {
  const open = explained(() => {
    const store = existingStore(ownStateFolder());
    const questions = store?.runs.openQuestions() ?? [];
    store?.close();
    return questions;
  });
  if (flags.json === true) {
    for (const one of open) {
      tellJson({
        run: one.run,
        question: one.place,
        asked: new Date(one.asked).toISOString(),
        ...bodyOf(one),
      });
    }
  } else if (open.length === 0) print("nobody is asked anything\n");
  else for (const one of open) print(`${showOneLine(`${one.run}  ${one.place}  ${describe(one)}`)}\n`);
  return exitCode.ok;
}

function describe(question: Question): string {
  const { request_kind: kind, prompt } = bodyOf(question);
  const what = typeof prompt === "string" ? prompt : JSON.stringify(prompt ?? null);
  return typeof kind === "string" ? `${kind}: ${what}` : what;
}

/** An answer to a question: JSON, or text. */
export function answerQuestion(which: string, text: string, flags: HitlFlags): number {
  return settle(which, flags, () => parsed(text));
}

/** Approval or refusal, with who says so. */
export function decideQuestion(which: string, approved: boolean, flags: HitlFlags): number {
  return settle(which, flags, () => ({
    approved,
    reviewer: flags.reviewer ?? userName(),
    reason: flags.reason ?? null,
    responded_at: new Date().toISOString(),
  }));
}

function settle(which: string, flags: HitlFlags, answer: () => Json): number {
  return inStore((store) => {
    const name = runNamed(store, which);
    const question = openQuestion(store, name, flags.question);
    store.runs.questions.answer(name, question.place, answer(), userName());
    print(`answered; \`harn run --resume ${name}\` goes on\n`);
    return exitCode.ok;
  });
}

function openQuestion(store: Store, run: string, place: string | undefined): Question {
  const open = store.runs.openQuestions().filter((one) => one.run === run);
  const found = place === undefined ? open : open.filter((one) => one.place === place);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const places = open.map((one) => one.place).join(", ");
  throw new StoreError(
    "missing",
    found.length === 0
      ? `${run} waits for no${place === undefined ? "" : " such"} answer`
      : `${run} asks ${found.length} questions: say which with --question (${places})`,
    ["`harn hitl list` shows what is asked"],
  );
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return process.env.USER ?? "unknown";
  }
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
