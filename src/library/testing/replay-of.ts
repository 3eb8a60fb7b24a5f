/** `replayOf()`: a run that was recorded yesterday, played with the code of today. */
import { JournalProblem } from "../../effects/index.ts";
import { awaitedBy } from "../handles/call-site.ts";
import * as is from "../option-checks.ts";
import type { AnyTool, FlowContext, RunEnd } from "../types.ts";
import { benchHarn } from "./bench-harn.ts";

export interface ReplayOfOptions {
  /**
   * Tools as they are today: those that read or are idempotent are called, and what they give is compared. All others, and all when none
   * are given, give what is recorded.
   */
  readonly tools?: readonly AnyTool[];
  /** The script as it is today, a path; as it was recorded unless given. */
  readonly script?: string;
  /** Flows as they are today, by name: what a run of `h.flow` is played with. */
  readonly flows?: { readonly [name: string]: (ctx: FlowContext, input: never) => unknown };
  /** The folder of the project, which the record may have been made in elsewhere; the process's own unless given. */
  readonly cwd?: string;
}

/** Where today's code diverges from yesterday's record. */
export interface Difference {
  /** The step, `PATH#N`; undefined where it is between steps, in what is printed, or in what it gives. */
  readonly step: string | undefined;
  /** What was recorded, in words. */
  readonly recorded: string | undefined;
  /** What happens now, in words. */
  readonly now: string | undefined;
  /** All of it, in a few lines. */
  readonly message: string;
}

export interface ReplayResult {
  /** As far as the record goes, which is not to its end where the run was killed. */
  readonly same: boolean;
  /** The first; undefined where there is none. */
  readonly difference?: Difference;
  /** How the replay ended: as the recorded run did, where they are the same. */
  readonly end: RunEnd;
}

const kinds: is.Kinds<ReplayOfOptions> = { tools: is.tools, script: is.text, flows: is.record, cwd: is.text };

/**
 * Plays an exported run (`h.runs.export`, `harn runs export`, or `--record`), its path or URL. Nothing is asked but the tools that are
 * given. What is printed is compared, too, where the project lies in the folder in which it was recorded: its texts may name it. Throws
 * a `HarnError` when it can't be played at all: no such file, a script that does not compile.
 */
export function replayOf(file: string | URL, options: ReplayOfOptions = {}): Promise<ReplayResult> {
  return awaitedBy(replayOf, () => playedAgain(file, options));
}

async function playedAgain(file: string | URL, options: ReplayOfOptions): Promise<ReplayResult> {
  is.checkWord("replayOf", "the file", file, is.file);
  is.checkGiven("replayOf", options, kinds);
  const { tools = [], script, flows = {}, cwd = process.cwd() } = options;
  await using h = benchHarn(replayOf, "replayOf", { tools, cwd }, {});
  for (const [name, flow] of Object.entries(flows)) h.flow(name, flow);
  const how = tools.length === 0 ? {} : { tools: "live" as const };
  const run = h.replay(file, { ...how, ...(script === undefined ? {} : { script }) });
  let isPlayed = false;
  for await (const { type } of run) isPlayed ||= type === "run.start";
  const end = await run.done;
  const { error } = end;
  if (!isPlayed) throw error;
  const problem = error?.cause;
  if (!(problem instanceof JournalProblem) || problem.kind === "ended-early") return { same: true, end };
  if (problem.kind !== "mismatch") throw error;
  const { place: step, recorded, now } = problem.divergence ?? {};
  return { same: false, difference: { step, recorded, now, message: error?.message ?? "" }, end };
}
