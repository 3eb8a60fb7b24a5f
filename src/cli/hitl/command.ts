/** `harn hitl`: the questions that parked runs wait with, and their answers. */

import { userInfo } from "node:os";
import { showOneLine } from "../../diagnostics/index.ts";
import type { Json } from "../../effects/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import {
  exitCode,
  inStore,
  inStoreOr,
  print,
  reportAsJson,
  runNamed,
  typedCommand,
} from "../../host/command/index.ts";
import { ownProcess } from "../../process/index.ts";
import { setOfTrial } from "../../run/index.ts";
import { isOfProgram } from "../../run/setup/index.ts";
import { type Question, type Store, StoreError } from "../../store/index.ts";
import { askedBy, keepAnswer, type OpenQuestion } from "../../threads/index.ts";
import { jsonOrText } from "../../values/index.ts";
import type { answerFlags } from "../flags/runs.ts";

export type HitlFlags = FlagsOf<typeof answerFlags>;

export function listQuestions(flags: { readonly json?: boolean }): number {
  const open = inStoreOr(
    (): readonly Question[] => [],
    (store) => store.runs.openQuestions(),
  );
  if (flags.json === true) {
    for (const one of open) {
      reportAsJson({
        run: one.run,
        question: one.place,
        asked: new Date(one.asked).toISOString(),
        ...shownQuestion(askedBy(one)),
      });
    }
  } else if (open.length === 0) print("nobody is asked anything\n");
  else for (const one of open) printQuestion(one);
  return exitCode.ok;
}

/** One line each: what is asked about may come from a model. */
function printQuestion(question: Question): void {
  const asked = askedBy(question);
  const { kind, prompt, tool, details, choices, schema, reviewers } = asked;
  print(`${showOneLine(`${question.run}  ${question.place}  ${kind}: ${prompt}`)}\n`);
  const lines = {
    tool,
    [tool === undefined && asked.kind !== "doubt" ? "details" : "arguments"]:
      details === null ? undefined : JSON.stringify(details),
    answers: choices.length > 0 ? choices.join(", ") : schema && `what fits ${JSON.stringify(schema)}`,
    "who may answer": reviewers.length > 0 ? reviewers.join(", ") : undefined,
  };
  for (const [name, text] of Object.entries(lines)) {
    if (text !== undefined) print(`    ${showOneLine(`${name}: ${text}`)}\n`);
  }
}

/** The question as it was asked, with what can be told of answers and people whatever its kind. */
const shownQuestion = ({ body, choices, reviewers }: OpenQuestion): object => ({
  ...body,
  ...(choices.length === 0 ? {} : { choices }),
  ...(reviewers.length === 0 ? {} : { reviewers }),
});

/** An answer to a question: JSON, or text. */
export function answerPending(which: string, text: string, flags: HitlFlags): number {
  return settle(which, flags, jsonOrText(text));
}

/** Approval or refusal, with who says so. */
export function decideQuestion(which: string, approved: boolean, flags: HitlFlags): number {
  return settle(which, flags, { approved });
}

function settle(which: string, flags: HitlFlags, answer: Json): number {
  return inStore((store) => {
    const name = runNamed(store, which);
    const question = openQuestion(store, name, flags.question);
    const by = flags.reviewer ?? userName();
    keepAnswer(store, question, { answer, by, reason: flags.reason, at: new Date().toISOString() });
    print(`answered; ${goesOn(store, name)}\n`);
    return exitCode.ok;
  });
}

/** A trial goes on in its set; what has tools of a program, or is a flow, in that program. */
function goesOn(store: Store, run: string): string {
  const { header } = store.runs.read(run);
  const set = setOfTrial(header);
  if (set === undefined && isOfProgram(header)) return `the program goes on with \`h.resume("${run}")\``;
  return `\`${typedCommand(set === undefined ? `run --resume ${run}` : `eval resume ${set}`)}\` goes on`;
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
    return ownProcess().env.USER ?? "unknown";
  }
}
