/**
 * The scorers of a task over one outcome, in a Runtime of their own in the state of the plan: what a trial changed, and what
 * one scorer does, reaches nobody else. It has a journal only when a scorer had effects.
 */
import { onSeededPath, type Task, type Workspace, workspaces } from "../../interp/index.ts";
import { callRoles } from "../../model/index.ts";
import { Dict, Float, List, type Value } from "../../values/index.ts";
import { canonicalJson } from "../plan/canonical-json.ts";
import {
  evalRegistry,
  type RoleStreams,
  roleStreams,
  type Sample,
  type Score,
  type ScorerSpec,
  scoringContext,
} from "../plan/index.ts";
import { runScorer } from "../score/index.ts";
import type { TrialPlay, TrialRun } from "./ports.ts";

export interface ScoreRequest {
  readonly task: string;
  /** Those that are wanted. */
  readonly scorers: readonly ScorerSpec[];
  readonly outcome: Dict;
  readonly sample: Sample;
  /** Of the judge's stream. */
  readonly seed: string;
  readonly seedOf: RoleStreams["seedOf"];
  /** The trial's sandbox; null without one. */
  readonly folder: Workspace | null;
  /** Draws of judges, by scorer. */
  readonly draws: Readonly<Record<string, number>>;
}

/** Scores of every scorer that was wanted, in order: the verdict of each, and the draws of those that drew several times. */
export function scoreTrial(run: TrialRun, request: ScoreRequest): Promise<TrialPlay<readonly Score[]>> {
  return run.play((task) => scoresIn(task, request));
}

/** The same in a Runtime that has come to its place. */
export async function scoresIn(task: Task, request: ScoreRequest): Promise<readonly Score[]> {
  const registered = task.runtime.state(evalRegistry).tasks.get(request.task);
  if (registered === undefined) throw new Error(`the program has no task ${request.task} any more`);
  const { folder } = request;
  Object.assign(task.runtime.state(scoringContext), { task: request.task, sandbox: folder?.cwd ?? null });
  if (folder !== null) workspaces.enter(task, folder);
  task.runtime.state(roleStreams).seedOf = request.seedOf;
  const scores: Score[] = [];
  for (const [at, spec] of registered.spec.scorers.entries()) {
    const code = registered.code.scorers[at];
    if (code === undefined || !request.scorers.some(({ name }) => name === spec.name)) continue;
    scores.push(...(await scoreAlone(task, request, { ...spec, score: code.score })));
  }
  return scores;
}

/** On a path of its own, named after it, so that another scorer beside it changes nothing for it. */
async function scoreAlone(
  task: Task,
  { outcome, sample, seed, draws }: ScoreRequest,
  scorer: Parameters<typeof runScorer>[1],
): ReturnType<typeof runScorer> {
  const leave = callRoles.enter(task, "judge");
  task.runtime.state(roleStreams).scorer = scorer.name;
  task.runtime.state(scoringContext).draws = draws[scorer.name] ?? null;
  try {
    return await onSeededPath(task, seed, scorer.name, () => runScorer(task, scorer, outcome, sample.body));
  } finally {
    leave();
  }
}

/** The large part of a score; null when there is none. */
export function scoreBody({ answer, why, parts, meta, error }: Score): string | null {
  const fields: [string, Value][] = [];
  if (answer !== null) fields.push(["answer", answer]);
  if (why !== null) fields.push(["why", why]);
  if (Object.keys(parts).length > 0)
    fields.push([
      "parts",
      Dict.of(Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, new Float(part)]))),
    ]);
  if (meta !== null) fields.push(["meta", meta]);
  if (error !== null) fields.push(["error", Dict.of({ code: error.code, message: error.message })]);
  return fields.length === 0 ? null : canonicalJson(Dict.of(Object.fromEntries(fields)));
}

/** What of scores stands in the receipt: canonical JSON of the sorted list of `[scorer, draw, value, pass, label]`. */
export function scoresText(
  scores: readonly Pick<Score, "scorer" | "draw" | "value" | "pass" | "label">[],
): string {
  const rows = scores.map(({ scorer, draw, value, pass, label }) =>
    canonicalJson(new List([scorer, draw, value === null ? null : new Float(value), pass, label])),
  );
  return `[${rows.sort().join(",")}]`;
}
