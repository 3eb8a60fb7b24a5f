/**
 * `session_run`: one bounded run of a session.
 *
 *     load ─▶ context ─▶ agent loop ─▶ directive (asked for again when it can't be used) ─▶ commit
 *
 * What is outside it: when a session runs (orchestration: `harn serve`), how models are reached, what tools do. Between
 * load and commit nothing durable changes, so a run can be killed anywhere: its recorded run is resumed, or its events
 * are still pending.
 */

import { type LoopEnd, newTranscript, policyScopes, readPolicy, workRecord } from "../../../agent/index.ts";
import { deduplicated } from "../../../durable/index.ts";
import type { Json } from "../../../effects/index.ts";
import { newId, type Task } from "../../../interp/index.ts";
import { conversations } from "../../../model/index.ts";
import { loadAgentLoop } from "../../../skills/index.ts";
import { at } from "../../../table/index.ts";
import { Dict, display, fromJson, ScriptError, thrown, toJson, type Value } from "../../../values/index.ts";
import { clippedLine } from "../memory/clip.ts";
import { type Memory, withRun } from "../memory/memory-files.ts";
import { type CommitResult, commitSessionRun, noteFailure } from "./commit.ts";
import { contextCorrectionText, sessionPromptText, systemText } from "./context.ts";
import { CustomTools } from "./custom-tools.ts";
import { type Directive, type DirectiveRead, parseDirective } from "./directive.ts";
import { splitDirective } from "./directive-block.ts";
import { type LoadedRun, loadRun, type RunPlace } from "./load.ts";
import { endedResult, failedResult, idleResult } from "./result.ts";
import { forOneAnswer, runOptionsOf, type SessionRunOptions, withCustomTools } from "./run-options.ts";
import { alone } from "./run-sessions.ts";

export { inRunSessions } from "./run-sessions.ts";

/** What the caller knows of the machine. */
export interface SessionPorts {
  /** The project's state folder; asked for only while the run is live. */
  folder(): string;
  /** The session of this process, when `harn session run` started it. */
  readonly assigned: string | null;
  /** Milliseconds since the epoch, as the script sees them. */
  now(): number;
}

type Running = Extract<LoadedRun, { ran: true }>;

export async function runSession(task: Task, value: Value, ports: SessionPorts): Promise<Dict> {
  const options = runOptionsOf(value);
  const session = options.session ?? ports.assigned;
  if (session === null) {
    throw thrown(
      'session_run: no session: `harn session run NAME` starts the script for one, `session: "NAME"` names one',
    );
  }
  const tools = new CustomTools(task.runtime, options.customTools);
  const folder = () => ports.folder();
  return await alone(task, session, async () => {
    const place = { folder, session, token: newId(task), now: ports.now() };
    const loaded = await loadRun(task, place, options.maxEvents);
    if (!loaded.ran) return idleResult(session, loaded);
    try {
      return await new SessionRun(task, options, tools, loaded, { ...place, clock: () => ports.now() }).run();
    } catch (error) {
      // The script's mistake, or a limit of its own: told, and nothing is handled.
      if (error instanceof ScriptError)
        await noteFailure(task, place, clippedLine(display(error.value), 1000));
      throw error;
    }
  });
}

/** Statuses of a loop that handled its events: it came to an end, or to a limit. */
const handled: ReadonlySet<string> = new Set(["done", "stuck", "stalled", "budget_exhausted"]);

interface TimedPlace extends RunPlace {
  /** What time it is now: a loop takes its time. */
  readonly clock: () => number;
}

class SessionRun {
  private readonly task: Task;
  private readonly options: SessionRunOptions;
  private readonly tools: CustomTools;
  private readonly loaded: Running;
  private readonly place: TimedPlace;
  private readonly system: string;

  constructor(
    task: Task,
    options: SessionRunOptions,
    tools: CustomTools,
    loaded: Running,
    place: TimedPlace,
  ) {
    this.task = task;
    this.options = options;
    this.tools = tools;
    this.loaded = loaded;
    this.place = place;
    this.system = systemText({ ...loaded, now: place.now, system: options.system, customTools: tools.names });
  }

  async run(): Promise<Dict> {
    const { events, record } = this.loaded;
    const left = record.pending - (record.inFlight?.count ?? 0);
    const prompt = sessionPromptText({ events, awaiting: record.awaiting, left });
    const loopOptions = withCustomTools(this.options.loop, this.tools.entries(), this.tools.names);
    const end = await this.loop(prompt, withWork(loopOptions, this.loaded.memory));
    const place = { ...this.place, now: this.place.clock() };
    const failure = failureOf(end);
    if (failure !== undefined) {
      await noteFailure(this.task, place, failure);
      return failedResult(place.session, this.loaded, failure, end.result);
    }
    return await this.finish(end, await this.directiveOf(end, place.now), place);
  }

  /** The loop, under the ceiling of the environment. */
  private async loop(prompt: string, options: Dict): Promise<LoopEnd> {
    const { task } = this;
    const { runChildLoop } = await task.runtime.effects.turns.hold(loadAgentLoop());
    const ceiling = this.loaded.environment?.policy ?? null;
    const own = ceiling === null || (options.get("policy") ?? null) !== null;
    const call = {
      prompt,
      system: this.system,
      options: (own ? options : options.with("policy", ceiling)).with("session_id", this.conversation),
      caller: "session_run",
      disposable: true,
      narrowed: ceiling !== null,
    };
    if (ceiling === null) return await runChildLoop(task, call);
    const around = task.runtime.state(conversations).open(`${this.conversation}_environment`);
    around.disposable = true;
    const policy = readPolicy(
      ceiling,
      at(`session_run: environment ${this.loaded.environment?.name}`, "policy"),
    );
    const scopes = task.runtime.state(policyScopes);
    scopes.enter(task, {
      conversation: around,
      policy,
      permissions: null,
      approval: null,
      command: null,
      repeats: new Map(),
    });
    try {
      return await runChildLoop(task, call);
    } finally {
      scopes.leave(task);
    }
  }

  /** A conversation for each run: what outlives it is the session's memory. */
  private get conversation(): string {
    return `session_${this.place.session}_run_${this.loaded.run}`;
  }

  /** Reads how the run ends; the model may correct what can't be used. */
  private async directiveOf(end: LoopEnd, now: number): Promise<DirectiveRead> {
    let best = this.read(end.lastText, now);
    for (let left = this.options.directiveRetries; left > 0 && best.problems.length > 0; left--) {
      const again = await this.loop(contextCorrectionText(best.problems), forOneAnswer(this.options.loop));
      if (failureOf(again) !== undefined) break;
      const split = splitDirective(again.lastText);
      if (split.block === undefined) break;
      const read = this.read(again.lastText, now);
      if (read.problems.length <= best.problems.length) best = read;
    }
    return best;
  }

  private read(answer: string, now: number): DirectiveRead {
    return parseDirective(splitDirective(answer), {
      now,
      run: this.loaded.run,
      checkUse: (use) => this.tools.problem(use),
    });
  }

  /** What its agent has planned and has to show, for the next run. */
  private work(): Pick<Memory, "work"> {
    const conversation = this.task.runtime.state(conversations).get(this.conversation);
    if (conversation === undefined) return {};
    const record = Dict.of(workRecord(conversation));
    return record.size === 0 ? {} : { work: toJson(record) as { readonly [name: string]: Json } };
  }

  private async finish(end: LoopEnd, { directive, problems }: DirectiveRead, place: RunPlace): Promise<Dict> {
    const { loaded } = this;
    const text = splitDirective(end.lastVisible).text || splitDirective(end.lastText).text;
    const status = String(end.result.get("status"));
    const limit =
      status === "done"
        ? []
        : [`the run ended before its work was done (${display(end.result.get("stop_reason") ?? status)})`];
    const uses = [...this.tools.uses, ...directive.uses];
    const next = status === "budget_exhausted" ? "continue" : directive.next;
    const learnings = deduplicated(directive.learnings);
    const said = { ...directive, next, uses, learnings } as const;
    const committed: CommitResult = await commitSessionRun(this.task, place, {
      agent: loaded.record.agent,
      outcome: {
        text,
        next,
        wakes: directive.wakes,
        uses,
        problems: [...problems, ...limit],
        route: end.route,
        maxContinues: this.options.maxContinues,
      },
      memory: {
        summary: directive.summary ?? loaded.memory.summary,
        buffer: withRun(loaded.memory.buffer, {
          run: loaded.run,
          now: place.now,
          events: loaded.events,
          text,
          decisions: runDecisionsOf(said),
        }),
        ...this.work(),
      },
      learnings,
      promoteAfter: this.options.promoteAfter,
    });
    return endedResult({
      session: place.session,
      loaded,
      text,
      directive: said,
      problems: [...loaded.notes, ...committed.receipt.problems, ...committed.notes],
      receipt: committed.receipt,
      loop: end.result,
    });
  }
}

/** The conversation begins with what the session knows of its work: nothing was said in it yet. */
function withWork(options: Dict, { work }: Memory): Dict {
  if (work === undefined) return options;
  return options.with("transcript", newTranscript("").merge(fromJson(work) as Dict));
}

/** Why nothing was handled: the model failed, or was never asked. */
function failureOf({ result, failure }: LoopEnd): string | undefined {
  const status = String(result.get("status"));
  const llm = result.get("llm");
  const answered = llm instanceof Dict && llm.get("iterations") !== 0;
  if (handled.has(status) && (answered || failure === null)) return undefined;
  const reason =
    failure?.error.message ?? display(result.get("error") ?? result.get("stop_reason") ?? status);
  return clippedLine(`${status}: ${reason}`, 1000);
}

/** For the working buffer. */
function runDecisionsOf({ next, wakes, uses, learnings }: Directive): string[] {
  const lines = uses.map(
    ({ name, input }) => `You asked for ${name}(${clippedLine(JSON.stringify(input), 500)})`,
  );
  for (const { key, due, reason } of wakes)
    lines.push(`You queued the wake ${key} for ${new Date(due).toISOString()}: ${clippedLine(reason, 200)}`);
  if (learnings.length > 0) lines.push(`You noted ${learnings.length} learning(s)`);
  if (next === "continue") lines.push("You asked to continue");
  return lines;
}
