/** `ask_user`: a question whose answer is data (builtins.md §2.22). */

import type { Task } from "../../interp/index.ts";
import { fitAnswer, patternMatcher } from "../../model/index.ts";
import { Dict, runtimeError, type Value } from "../../values/index.ts";
import { type Argument, option, textOf } from "../arguments.ts";
import { consult } from "./consult.ts";
import { metadataOf, timeLimitOf } from "./request.ts";

export async function askUser(task: Task, prompt: Argument, options: Argument): Promise<Value> {
  if (prompt === undefined || prompt === null) throw runtimeError("ask_user: a prompt is required");
  const schema = option(options, "schema");
  if (schema !== undefined && !(schema instanceof Dict))
    throw runtimeError("ask_user: schema must be a dict");
  const fallback = option(options, "default");
  const { settled } = await consult<Value>(task, {
    caller: "ask_user",
    text: {
      kind: "question",
      prompt: textOf(prompt),
      limitMs: timeLimitOf("ask_user", "timeout", option(options, "timeout")),
      metadata: metadataOf(options, ["timeout"]),
    },
    fallback,
    judge: (_request, { answer }) =>
      fitAnswer(answer, { schema, fallback, matches: patternMatcher(task.runtime) }),
  });
  return settled === undefined ? (fallback ?? null) : settled;
}
