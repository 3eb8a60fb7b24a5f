/**
 * The smallest request with which a failure still comes: a recorded request is sent again with parts taken out. Every try is a run of
 * its own beside the trial, so that the same search goes on and pays for none twice; nothing of the set changes.
 */
import type { EvalSetRow } from "../../../durable/index.ts";
import type { StopRequest } from "../../../effects/index.ts";
import type { Task } from "../../../interp/index.ts";
import {
  type ModelMessage,
  type ModelRequest,
  type ModelResponse,
  type ModelTool,
  modelCall,
} from "../../../model/index.ts";
import { Dict, fromJson, type Json, jsonParse, List, ScriptError } from "../../../values/index.ts";
import { canonicalJson } from "../../plan/canonical-json.ts";
import { roleStreams, streamSeed, successOfScores } from "../../plan/index.ts";
import type { SetSpec } from "../../sets/set-spec.ts";
import { rulesOf } from "../governor.ts";
import { Governors } from "../governors.ts";
import type { TrialRun, TrialRuns } from "../ports.ts";
import { roleOptions } from "../role-options.ts";
import { scoresIn } from "../score-trial.ts";
import type { PlannedTrial } from "../set-plan.ts";

/** A model request as parts that can be taken out of it one by one: messages, tools, paragraphs of the system text. */
interface RequestParts {
  /** A message, or one with calls and the results of those. */
  readonly messages: readonly (readonly ModelMessage[])[];
  readonly tools: readonly ModelTool[];
  readonly paragraphs: readonly string[];
}

type PartKind = keyof RequestParts;

/** In the order in which they are shortened: messages are most of a request. */
const partKinds: readonly PartKind[] = ["messages", "tools", "paragraphs"];

export const partsOf = ({ messages, tools, system }: ModelRequest): RequestParts => ({
  messages: messageGroups(messages),
  tools: tools ?? [],
  paragraphs: (system ?? "").split(/\n[ \t]*\n\s*/u).filter((text) => text.trim() !== ""),
});

/** Vendors refuse a call without its result, and a result without its call: they stay together, with what lies between them. */
function messageGroups(messages: readonly ModelMessage[]): ModelMessage[][] {
  const groups: ModelMessage[][] = [];
  for (const message of messages) {
    const answers = message.tool_call_id ?? message.tool_use_id;
    const of =
      answers === undefined ? -1 : groups.findLastIndex((group) => group.some((one) => calls(one, answers)));
    if (of < 0) groups.push([message]);
    else groups.push([...groups.splice(of).flat(), message]);
  }
  return groups;
}

const calls = ({ tool_calls: made }: ModelMessage, id: string): boolean =>
  (made ?? []).some((call) => call.id === id);

/** The request with these parts alone; undefined: nobody would answer it. */
export function requestOf(request: ModelRequest, parts: RequestParts): ModelRequest | undefined {
  const messages = parts.messages.flat();
  const isAsked = ({ role }: ModelMessage): boolean => role === "user";
  if (messages.length === 0 || (request.messages.some(isAsked) && !messages.some(isAsked))) return undefined;
  const { tool_choice: choice } = request;
  const hasTools = parts.tools.length > 0;
  if (typeof choice === "object" && choice !== null && !parts.tools.some(({ name }) => name === choice.name))
    return undefined;
  const whole = partsOf(request);
  const made: ModelRequest = { ...request, messages };
  if (parts.tools.length < whole.tools.length) {
    made.tools = hasTools ? [...parts.tools] : null;
    if (!hasTools) made.tool_choice = null;
  }
  if (parts.paragraphs.length < whole.paragraphs.length)
    made.system = parts.paragraphs.length === 0 ? null : parts.paragraphs.join("\n\n");
  return made;
}

/** What comes back when it fails again: the calls of the recorded answer, or that this scorer does not pass. */
export type Failure =
  | { readonly kind: "calls"; readonly calls: readonly Json[] }
  | {
      readonly kind: "scorer";
      readonly scorer: string;
      /** The recorded answer calls a tool. One that does where it did not is no answer yet, so nothing has failed. */
      readonly calls: boolean;
    };

export interface MinimiseRequest {
  readonly runs: TrialRuns;
  readonly set: EvalSetRow;
  readonly trial: PlannedTrial;
  /** As it is recorded, with stand-ins for secrets. */
  readonly request: ModelRequest;
  readonly failure: Failure;
  /** Tries of a request, and how many of them must fail. */
  readonly repeat: number;
  readonly need: number;
  /** Calls that it may look at, those of an earlier search among them. */
  readonly calls: number;
  /** What they may cost, US dollars; null: no limit. */
  readonly costUsd: number | null;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Called when a shorter request still fails. */
  readonly onShorter: (found: MinimalRequest) => void;
}

export interface MinimalRequest {
  readonly request: ModelRequest;
  /** Parts of the recorded request, and of the shortest. */
  readonly before: Readonly<Record<PartKind, number>>;
  readonly after: Readonly<Record<PartKind, number>>;
  readonly calls: number;
  readonly costUsd: number;
}

export type MinimiseEnd = MinimalRequest &
  /** `smallest`: no part can be left out any more; else what ended the search. */
  (
    | { readonly kind: "smallest" | "calls" | "cost" }
    /** Of the whole request so many tries of so many failed: too few. */
    | { readonly kind: "gone"; readonly failed: number; readonly tries: number }
    | { readonly kind: "stopped"; readonly exitCode: number }
    | { readonly kind: "broken"; readonly why: string }
  );

/** Ends the search; what has been found stays. */
class Over extends Error {
  readonly end:
    | { kind: "calls" | "cost" }
    | { kind: "stopped"; exitCode: number }
    | { kind: "broken"; why: string };
  constructor(end: Over["end"]) {
    super(end.kind);
    this.end = end;
  }
}

export async function minimise(request: MinimiseRequest): Promise<MinimiseEnd> {
  const search = new Search(request);
  const stop = (): void => search.stop();
  request.signal.addEventListener("abort", stop, { once: true });
  try {
    return await search.run();
  } catch (error) {
    if (!(error instanceof Over)) throw error;
    return { ...search.found(), ...error.end };
  } finally {
    request.signal.removeEventListener("abort", stop);
  }
}

/** What one try came to. */
type CandidateOutcome = { readonly fails: boolean } | { readonly error: string };

class Search {
  private readonly asked: MinimiseRequest;
  private readonly governors: Governors;
  private readonly open = new Set<TrialRun>();
  private readonly known = new Map<string, boolean>();
  private readonly whole: RequestParts;
  private readonly outcome: Dict;
  private best: RequestParts;
  private calls = 0;
  private costUsd = 0;
  /** Worst cases of calls in flight. */
  private reserved = 0;
  private isDear = false;

  constructor(asked: MinimiseRequest) {
    this.asked = asked;
    const { runs, set, random, trial } = asked;
    const { options } = JSON.parse(set.spec) as SetSpec;
    this.governors = new Governors({
      now: () => runs.monotonic(),
      sleep: (ms, signal) => runs.sleep(ms, signal),
      random,
      rules: rulesOf(options.connections),
      giveUpMs: options.giveUpMs,
      onChange: () => {},
      onSilent: () => this.stop(),
    });
    this.whole = partsOf(asked.request);
    this.best = this.whole;
    this.outcome = jsonParse(runs.revealed(runs.store.piece(trial.row.outcome) ?? "{}")) as Dict;
  }

  stop(): void {
    for (const run of this.open) run.stop({ reason: "cancel", exitCode: 130, atOnce: true });
  }

  found(): MinimalRequest {
    const sizes = (parts: RequestParts): Record<PartKind, number> => ({
      messages: parts.messages.flat().length,
      tools: parts.tools.length,
      paragraphs: parts.paragraphs.length,
    });
    const { calls, costUsd } = this;
    const request = requestOf(this.asked.request, this.best) ?? this.asked.request;
    return { request, before: sizes(this.whole), after: sizes(this.best), calls, costUsd };
  }

  async run(): Promise<MinimiseEnd> {
    const first = await this.count(this.asked.request);
    if (!first.isEnough) return { ...this.found(), kind: "gone", failed: first.failed, tries: first.tries };
    for (let before: RequestParts | undefined; before !== this.best; ) {
      before = this.best;
      for (const kind of partKinds)
        await shorten<unknown>(this.best[kind], (kept) => this.stillFails({ ...this.best, [kind]: kept }));
    }
    return { ...this.found(), kind: "smallest" };
  }

  private async stillFails(parts: RequestParts): Promise<boolean> {
    const request = requestOf(this.asked.request, parts);
    if (request === undefined) return false;
    const key = JSON.stringify(request);
    const before = this.known.get(key);
    const fails = before ?? (await this.count(request)).isEnough;
    this.known.set(key, fails);
    if (fails) {
      this.best = parts;
      this.asked.onShorter(this.found());
    }
    return fails;
  }

  /** As many tries side by side as are needed in any case; then one by one until it is clear. */
  private async count(
    request: ModelRequest,
  ): Promise<{ readonly isEnough: boolean; readonly failed: number; readonly tries: number }> {
    const { repeat, need } = this.asked;
    let tries = 0;
    let failed = 0;
    while (failed < need && failed + (repeat - tries) >= need) {
      const missing = need - failed;
      if (this.calls + missing > this.asked.calls) throw new Over({ kind: "calls" });
      this.calls += missing;
      const numbers = Array.from({ length: missing }, (_, at) => tries + at + 1);
      const done = await Promise.all(numbers.map((number) => this.attempt(request, number)));
      tries += missing;
      for (const one of done) {
        if ("error" in one) throw this.over(one.error);
        if (one.fails) failed++;
      }
    }
    return { isEnough: failed >= need, failed, tries };
  }

  private over(why: string): Over {
    const { signal } = this.asked;
    if (signal.aborted)
      return new Over({ kind: "stopped", exitCode: (signal.reason as StopRequest).exitCode });
    return new Over(this.isDear ? { kind: "cost" } : { kind: "broken", why });
  }

  // ── one try ─────────────────────────────────────────────────────────────────────────────────────────────────────

  /** One that could not be made is made again by the next search. */
  private async attempt(request: ModelRequest, number: number): Promise<CandidateOutcome> {
    const first = await this.play(request, number, "where it stopped");
    return "error" in first && !first.isLive ? await this.play(request, number, "where it failed") : first;
  }

  private async play(
    request: ModelRequest,
    number: number,
    resume: "where it stopped" | "where it failed",
  ): Promise<CandidateOutcome & { readonly isLive: boolean }> {
    const { runs, set, trial, failure } = this.asked;
    const { options } = JSON.parse(set.spec) as SetSpec;
    const { digest } = runs.store;
    if (this.asked.signal.aborted || this.isDear) return { error: "stopped", isLive: true };
    let isLive = false;
    // With a scorer another program is another try; runs of scorings end so, too.
    const judged = failure.kind === "scorer" ? [failure.scorer, set.program, failure.calls] : [];
    const name = digest(JSON.stringify([request, ...judged])).slice(0, 16);
    const run = runs.open({
      run: `${set.name}.${trial.row.id}.min-${name}-${number}.score`,
      trial: trial.row.id,
      address: `${set.name}:${trial.path}`,
      seed: this.seedOf("agent", number),
      resume,
      models: {
        roles: {
          options: roleOptions(trial.spec, trial.variant, options.roles),
          booked: ({ response }) => {
            this.costUsd += response.cost_usd ?? 0;
          },
          admit: async (_task, { costUsd }) => {
            isLive = true;
            return this.admitted(run, costUsd);
          },
        },
        wrap: (client) => this.governors.govern(client),
      },
    });
    this.open.add(run);
    try {
      const played = await run.play((task) => this.tryIn(task, run, request));
      if (played.kind === "stopped") return { error: "stopped", isLive: true };
      if (played.kind === "broken") return { error: played.message, isLive: true };
      return { ...played.value, isLive };
    } finally {
      this.open.delete(run);
    }
  }

  /** A call whose worst case does not fit ends the search: its run is stopped before it is sent. */
  private async admitted(run: TrialRun, worst: number | null): Promise<() => void> {
    const limit = this.asked.costUsd;
    if (limit === null) return () => {};
    const amount = worst ?? Number.POSITIVE_INFINITY;
    if (this.costUsd + this.reserved + amount > limit) {
      this.isDear = true;
      run.stop({ reason: "cancel", exitCode: 5, atOnce: true });
      return await new Promise<never>(() => {});
    }
    this.reserved += amount;
    return () => {
      this.reserved = Math.max(0, this.reserved - amount);
    };
  }

  private async tryIn(task: Task, run: TrialRun, request: ModelRequest): Promise<CandidateOutcome> {
    const { runs, failure } = this.asked;
    task.runtime.state(roleStreams).seedOf = (role, stream) => this.seedOf(role, stream);
    const sent = JSON.parse(runs.revealed(JSON.stringify(request))) as ModelRequest;
    const result = await modelCall(task, sent);
    if (!result.ok)
      return refused.has(result.error.status ?? 0) ? { fails: false } : { error: result.error.message };
    const { response } = result;
    if (failure.kind === "calls") {
      const made = run.hidden(JSON.stringify(failingCalls(response)));
      return { fails: sameCalls(JSON.parse(made) as Json[], failure.calls) };
    }
    if (response.tool_calls.length > 0 && !failure.calls) return { fails: false };
    return await this.judged(task, sent, response, failure.scorer);
  }

  private async judged(
    task: Task,
    request: ModelRequest,
    response: ModelResponse,
    scorer: string,
  ): Promise<CandidateOutcome> {
    const { trial } = this.asked;
    const scores = await scoresIn(task, {
      task: trial.spec.name,
      scorers: trial.spec.scorers.filter(({ name }) => name === scorer),
      outcome: this.outcomeWith(request, response),
      sample: trial.sample(),
      seed: this.seedOf("judge", null),
      seedOf: (role, stream) => this.seedOf(role, stream),
      folder: null,
      draws: {},
    });
    const success = successOfScores(scores, [scorer]);
    if (success !== null) return { fails: success === 0 };
    const why = scores.find(({ error }) => error !== null)?.error?.message ?? "it gave no score";
    return { error: `${scorer}: ${why}` };
  }

  /** What the trial left, as if this answer had been its last. */
  private outcomeWith({ messages }: ModelRequest, response: ModelResponse): Dict {
    const { text } = response;
    const calls = failingCalls(response);
    const said = { role: "assistant", content: text, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
    const list = (values: readonly unknown[]): List => new List(values.map((one) => fromJson(one as Json)));
    const data = (this.outcome.get("data") ?? null) === null ? null : dataIn(text);
    const made = {
      text,
      data,
      messages: list([...messages, said]),
      tools: list(calls.map((call) => ({ ...(call as object), result: null, ok: true }))),
    };
    return this.outcome.merge(Dict.of(made));
  }

  private seedOf(role: "agent" | "user" | "judge", stream: number | null): string {
    const { runs, set, trial } = this.asked;
    return streamSeed(runs.store.digest, {
      seed: set.seed,
      task: trial.spec.name,
      sample: trial.key.sample,
      role,
      stream: stream ?? trial.row.epoch,
    });
  }
}

/** Statuses of a server that takes no request with these parts: with such a one nothing fails the same way. */
const refused: ReadonlySet<number> = new Set([400, 413, 422]);

/** Names and arguments of the calls of an answer. */
export const failingCalls = ({ tool_calls }: Pick<ModelResponse, "tool_calls">): Json[] =>
  tool_calls.map(({ name, arguments: args, raw_arguments: raw }) => ({
    name,
    arguments: (args ?? raw) as Json,
  }));

function sameCalls(made: readonly Json[], wanted: readonly Json[]): boolean {
  const text = (calls: readonly Json[]): string =>
    calls
      .map((call) => canonicalJson(fromJson(call)))
      .sort()
      .join("\n");
  return text(made) === text(wanted);
}

function dataIn(text: string): ReturnType<typeof jsonParse> {
  try {
    return jsonParse(text);
  } catch (error) {
    if (error instanceof ScriptError) return null;
    throw error;
  }
}

/** One line of a file of regressions: a sample with the request as its input. */
export function regressionOf(
  digest: (text: string) => string,
  { trial, failure, request }: Pick<MinimiseRequest, "trial" | "failure" | "request">,
  from: { readonly trial: string; readonly step: number },
): Readonly<Record<string, unknown>> & { readonly id: string } {
  const { system, messages, tools, provider, model } = request;
  const said = typeof system === "string" && system !== "" ? [{ role: "system", content: system }] : [];
  const wanted = failure.kind === "calls" ? { calls: failure.calls } : { scorer: failure.scorer };
  return {
    id: `${trial.key.sample}-${digest(JSON.stringify([request, wanted])).slice(0, 8)}`,
    input: [...said, ...messages],
    tools: tools ?? [],
    from: { ...from, provider, model, ...wanted },
  };
}

/**
 * Delta debugging: leaves out ever smaller runs of parts for as long as what is looked for still shows. At its end no single part
 * can be left out any more.
 */
export async function shorten<T>(
  parts: readonly T[],
  stillShows: (kept: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let kept = parts;
  let size = Math.ceil(kept.length / 2);
  while (kept.length > 0) {
    const before = kept.length;
    for (let at = 0; at < kept.length; ) {
      const rest = [...kept.slice(0, at), ...kept.slice(at + size)];
      if (await stillShows(rest)) kept = rest;
      else at += size;
    }
    if (size === 1 && kept.length === before) break;
    size = Math.max(1, Math.ceil(Math.min(size, kept.length) / 2));
  }
  return kept;
}
