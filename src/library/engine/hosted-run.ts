/**
 * A run in a program, as the run sees it: who is asked its questions, which tools the program has for it, who hears its events, what
 * stops it, and what becomes of its end.
 */
import type { Diagnostic } from "../../diagnostics/index.ts";
import { questionId } from "../../durable/index.ts";
import type { InDoubtRule, Json } from "../../effects/index.ts";
import type { GuardedEnd, Runtime } from "../../interp/index.ts";
import type { RunOutcome } from "../../lower/index.ts";
import {
  answerForRun,
  type LivingRun as LivingEffects,
  type OwnedJournal,
  type Surroundings,
} from "../../run/setup/index.ts";
import { stopAsked } from "../../run/stop-requests.ts";
import type { Store, Question as StoredQuestion } from "../../store/index.ts";
import { askedData } from "../../threads/index.ts";
import { toJs } from "../../values/index.ts";
import { HarnError, harnError } from "../errors.ts";
import { offerProgramTools } from "../host-tools.ts";
import type { LivingRun, RunListener, Settings } from "../orders.ts";
import { thrownInWords } from "../schema.ts";
import type { AnyTool, Question, RunEnd, RunStatus, Schema } from "../types.ts";
import { agentAnswer, agentFailure } from "./agent-answer.ts";
import { isAgentRun } from "./agent-program.ts";
import { EventStream } from "./event-stream.ts";
import {
  fitted,
  outcomeFailure,
  problemFailure,
  programFailure,
  stopFailure,
  stoppedFailure,
  thrownFailure,
  waitingFailure,
} from "./failures.ts";
import { ProgramInterrupts } from "./program-interrupts.ts";
import { byProgram, keepProgramAnswer, questionForProgram } from "./shown-question.ts";
import type { StoredRuns } from "./stored-runs.ts";
import type { TestMachine } from "./test-machine.ts";

/** What of an order concerns the run while it lives. */
export interface HostedOptions {
  readonly run: string;
  readonly tools: readonly AnyTool[];
  readonly output: Schema | undefined;
  /** Milliseconds. */
  readonly timeout: number | undefined;
}

/** What the store has of its questions once it has ended, and with it its own way to the store. */
type StoredAnswers = Pick<StoredRuns, "openQuestions" | "answer">;

export class HostedRun implements LivingRun {
  readonly interrupts: ProgramInterrupts;
  readonly events: EventStream;
  private readonly settings: Settings;
  private readonly options: HostedOptions;
  private readonly listener: RunListener;
  private readonly machine: TestMachine | undefined;
  private readonly stored: StoredAnswers;
  private readonly found: Diagnostic[] = [];
  private readonly open = new Map<
    string,
    { readonly stored: StoredQuestion; readonly journal: OwnedJournal }
  >();
  private effects: LivingEffects | undefined;
  private ended: { readonly end: GuardedEnd<RunOutcome>; readonly runtime: Runtime } | undefined;

  constructor(
    settings: Settings,
    options: HostedOptions,
    listener: RunListener,
    machine: TestMachine | undefined,
    stored: StoredAnswers,
  ) {
    this.machine = machine;
    this.stored = stored;
    this.settings = settings;
    this.options = options;
    this.listener = listener;
    this.interrupts = new ProgramInterrupts(options.timeout);
    this.events = new EventStream(options.run, (event) => listener.event(event));
  }

  /** Its name. */
  get run(): string {
    return this.options.run;
  }

  /** Those of the program and of this run. */
  get tools(): readonly AnyTool[] {
    return this.options.tools;
  }

  readonly diagnosed = (diagnostics: readonly Diagnostic[]): boolean => {
    this.found.push(...diagnostics);
    return diagnostics.some(({ severity }) => severity === "error");
  };

  /** What was found that stops nothing. */
  get warnings(): readonly Diagnostic[] {
    return this.found.filter(({ severity }) => severity !== "error");
  }

  surroundings(more: Pick<Surroundings, "models" | "flows">): Surroundings {
    const { machine } = this;
    const writer = this.settings.bench?.writer;
    return {
      ...more,
      ...(machine === undefined ? {} : { machine: (host) => machine.instead(host) }),
      ...(writer === undefined ? {} : { writer }),
      reader: "program",
      interrupts: this.interrupts,
      diagnosed: this.diagnosed,
      wirings: [this.events.wiring],
      began: (runtime, run) => this.began(runtime, run),
      asked: (place, question, journal) => this.asked(place, question, journal),
      over: (place, journal) => this.over(place, journal),
      parkLater: (park) => this.parkLater(park),
      peopleDecide: (_kind, inDoubt) => this.peopleDecide(inDoubt),
      ended: async (end, runtime) => this.noteEnd(end, runtime),
    };
  }

  noteEnd(end: GuardedEnd<RunOutcome>, runtime: Runtime): void {
    this.ended = { end, runtime };
  }

  /** `run`: what its tools are told; a replay's own name is that of a file where it was exported. */
  began(runtime: Runtime, effects?: LivingEffects, run = this.options.run): void {
    const { tools } = this.options;
    this.events.runtime = runtime;
    this.effects = effects;
    offerProgramTools(runtime, tools, { run });
    this.listener.lives(this);
    // Whoever has its name resumes it by that, whatever it has done until it was killed.
    effects?.beginsNow();
  }

  /** Said before everything else of it. */
  begins(type: "run.start" | "run.resumed", script: string): void {
    if (type === "run.start") this.events.note(type, { message: null, agent: script });
    else this.events.note(type, { because: "asked" });
  }

  // ── while it lives ────────────────────────────────────────────────────────────────────────────────────────────────

  stop(reason: string, cause?: unknown): void {
    this.interrupts.stop(reason, false, cause);
  }

  /** What others have written for it. */
  look(store: Store): void {
    const { run } = this.options;
    const asked = stopAsked(store, run);
    if (asked !== undefined) this.interrupts.stop("`harn runs stop`", asked.now);
    if (this.open.size === 0) return;
    for (const { place, answer, answeredBy } of store.runs.questions.of(run))
      if (answer !== undefined && this.open.has(place)) this.give(place, answer, answeredBy ?? null);
  }

  private parking: (() => void) | undefined;
  /** Open questions to which nobody here has an answer, and why. */
  private readonly unanswered = new Map<string, string>();

  /** Without anybody to ask, the run waits for another time; with somebody, it waits here for the answer. */
  private parkLater(park: () => void): () => void {
    if (this.settings.onQuestion === undefined || this.unanswered.size > 0) {
      const soon = setImmediate(park);
      return () => clearImmediate(soon);
    }
    this.parking = park;
    return () => {
      this.parking = undefined;
    };
  }

  private asked(place: string, body: Json, journal: OwnedJournal): void {
    const { run } = this.options;
    journal.writer.question(place, JSON.stringify(body));
    const stored = { run, place, body, asked: Date.now(), answer: undefined, answeredBy: undefined };
    this.open.set(place, { stored, journal });
    this.events.note("question.asked", askedData(stored));
    const { onQuestion } = this.settings;
    if (onQuestion !== undefined) void this.ask(place, questionForProgram(stored), onQuestion);
  }

  /** `undefined`: somebody says it later, by `answer`. */
  private async ask(
    place: string,
    question: Question,
    onQuestion: NonNullable<Settings["onQuestion"]>,
  ): Promise<void> {
    try {
      await Promise.resolve();
      const value = await onQuestion(question);
      if (value === undefined || !this.open.has(place)) return;
      // Kept for whoever resumes it.
      if (this.ended !== undefined) await this.stored.answer(this.options.run, question.id, value);
      else this.answer(question.id, value);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const text = `nobody has answered "${question.prompt}": ${why}`;
      this.settings.log?.({ level: "error", text, run: this.options.run });
      this.unanswered.set(place, text);
      this.parking?.();
    }
  }

  answer(id: string, value: unknown): void {
    const { run } = this.options;
    const found = [...this.open].find(([place]) => questionId(run, place) === id);
    if (found === undefined)
      throw harnError("HARN-LIB-001", `${run} does not wait for an answer to ${id}`, { run });
    const [place, { stored, journal }] = found;
    let kept: Json;
    try {
      kept = keepProgramAnswer(journal.store, stored, value);
    } catch (error) {
      throw thrownFailure(run, error);
    }
    this.give(place, kept, byProgram);
  }

  /** An answer that is kept with its question. */
  private give(place: string, answer: Json, by: string | null): void {
    const found = this.open.get(place);
    if (found === undefined) return;
    this.open.delete(place);
    this.unanswered.delete(place);
    this.events.note("question.answered", { question: questionId(this.options.run, place), answer, by });
    this.effects?.giveAnswer(place, answerForRun(found.stored, answer));
  }

  /** Nobody waits for it any more. */
  private over(place: string, { writer }: OwnedJournal): void {
    if (!this.open.delete(place)) return;
    this.unanswered.delete(place);
    writer.settled(place);
    this.events.note("question.expired", { question: questionId(this.options.run, place) });
  }

  private peopleDecide(inDoubt: InDoubtRule | undefined): boolean {
    return (this.settings.onDoubt ?? "ask") === "ask" && inDoubt !== "repeat" && inDoubt !== "say";
  }

  // ── how it ended ──────────────────────────────────────────────────────────────────────────────────────────────────

  async end(): Promise<RunEnd> {
    const end = await this.endOf();
    return this.printed === undefined ? end : this.failed(this.printed);
  }

  /** Its last event. */
  ending(end: RunEnd): RunEnd {
    const { status, error } = end;
    const statuses = { done: "done", failed: "failed", stopped: "interrupted", waiting: "waiting" } as const;
    this.events.note("run.end", {
      status: statuses[status],
      exit_code: null,
      error: error === undefined ? null : error.message,
    });
    return end;
  }

  private async endOf(): Promise<RunEnd> {
    const { run } = this.options;
    if (this.ended === undefined) {
      // It never began: its program has errors, or it waits as before.
      if (this.found.some(({ severity }) => severity === "error"))
        return this.failed(programFailure(run, this.found));
      const questions = this.stored.openQuestions(run);
      return { ...this.as("waiting"), questions, error: waitingFailure(run, questions) };
    }
    const { end, runtime } = this.ended;
    if (end.kind === "problem") return this.failed(problemFailure(run, end.problem));
    if (end.kind === "stopped") {
      const isParked = end.request.reason === "parked";
      const questions = isParked ? this.stored.openQuestions(run) : [];
      const { why, cause } = this.interrupts;
      const unanswered = this.unanswered.values();
      const error = stopFailure(run, end, { why, cause, questions, unanswered });
      return { ...this.as(isParked ? "waiting" : "stopped"), error, ...(isParked ? { questions } : {}) };
    }
    const failure = outcomeFailure(run, end.outcome);
    if (failure !== undefined)
      return this.failed(isAgentRun(runtime) ? agentFailure(failure, "h.agent") : failure);
    return await this.withOutput(end.outcome, runtime);
  }

  private async withOutput({ value }: RunOutcome, runtime: Runtime): Promise<RunEnd> {
    const { run, output: schema } = this.options;
    let output = toJs(value);
    try {
      if (isAgentRun(runtime)) output = agentAnswer(output, schema !== undefined, run);
      const answer = fitted(schema, output, "the result", run);
      return { ...this.as("done"), output: await Promise.race([answer, this.interrupts.nextStop()]) };
    } catch (error) {
      if (error === this.interrupts) {
        const { why, cause } = this.interrupts;
        return { ...this.as("stopped"), output, error: stoppedFailure(run, why ?? "stopped", cause) };
      }
      if (!(error instanceof HarnError)) throw error;
      return { ...this.failed(error), output };
    }
  }

  private printed: HarnError | undefined;

  /** `onPrint` of the program: what it throws ends the run, and is why. */
  printer(onPrint: (text: string) => void): (text: string) => void {
    return (text) => {
      try {
        onPrint(text);
      } catch (error) {
        const { run } = this;
        this.printed ??= harnError("HARN-LIB-009", `\`onPrint\` threw: ${thrownInWords(error)}`, {
          run,
          cause: error,
        });
        throw error;
      }
    };
  }

  failed(error: HarnError): RunEnd {
    return { ...this.as("failed"), error };
  }

  private as<S extends RunStatus>(status: S) {
    const { usage, cost } = this.events;
    return { run: this.options.run, status, usage, cost_usd: cost };
  }
}
