/** `Run`: a run as the program that began it has it: awaited, listened to, answered, stopped. */

import { HarnError, harnError, internalError } from "../errors.ts";
import { checkArguments } from "../option-tables.ts";
import type { LivingRun, RunListener } from "../orders.ts";
import type { Run, RunEnd, RunEvent } from "../types.ts";
import { Broadcast } from "./broadcast.ts";
import { type CallSite, calledBy } from "./call-site.ts";

export class RunHandle<O> implements Run<O> {
  readonly id: string;
  readonly done: Promise<RunEnd<O>>;
  private readonly events: Broadcast<RunEvent>;
  private living: LivingRun | undefined;
  /** It was asked to stop before it lived. */
  private stopping: StopOf | undefined;
  private result: Promise<O> | undefined;

  /** `perform` is called in the next microtask. `signal`, aborted before or after, stops the run; a failure shows `site`. */
  constructor(
    id: string,
    perform: (listener: RunListener) => Promise<RunEnd>,
    signals: readonly (AbortSignal | undefined)[],
    site: CallSite,
  ) {
    this.id = id;
    this.events = new Broadcast(() =>
      harnError(
        "HARN-LIB-007",
        `events of ${id} were lost: they came faster than they were read, and only the last 10,000 are kept`,
        { run: id },
      ),
    );
    const stop = (event: Event): void => this.ask(...abortReason(event.target as AbortSignal));
    const present = signals.filter((one) => one !== undefined);
    for (const signal of present) {
      if (signal.aborted) this.stopping ??= abortReason(signal);
      else signal.addEventListener("abort", stop, { once: true });
    }
    this.done = Promise.resolve()
      .then(() =>
        perform({
          event: (event) => this.events.say(event),
          lives: (living) => {
            this.living = living;
            if (this.stopping !== undefined) living.stop(...this.stopping);
          },
        }),
      )
      .catch(
        (error: unknown): RunEnd => ({
          run: id,
          status: "failed",
          usage: { input: 0, output: 0 },
          cost_usd: null,
          error: error instanceof HarnError ? error : internalError(id, error),
        }),
      )
      .then((end) => {
        if (end.error?.run === id) site.mark(end.error);
        return end;
      })
      .finally(() => {
        this.living = undefined;
        this.events.end();
        for (const signal of present) signal.removeEventListener("abort", stop);
      }) as Promise<RunEnd<O>>;
  }

  /** Made when somebody waits for it: a failure that nobody awaits is in `done` alone. */
  private get output(): Promise<O> {
    this.result ??= this.done.then((end) => {
      if (end.status === "done") return end.output as O;
      throw end.error;
    });
    return this.result;
  }

  // biome-ignore lint/suspicious/noThenProperty: a run is awaited
  then<A = O, B = never>(
    onOutput?: ((output: O) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.output.then(onOutput, onError);
  }

  catch<B = never>(onError?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<O | B> {
    return this.output.catch(onError);
  }

  finally(onEnd?: (() => void) | null): Promise<O> {
    return this.output.finally(onEnd);
  }

  get [Symbol.toStringTag](): string {
    return "Run";
  }

  [Symbol.asyncIterator](): AsyncIterator<RunEvent> {
    return this.events.read();
  }

  get text(): AsyncIterable<string> {
    return spokenPieces(this.events.read());
  }

  answer(question: string, value: unknown): void {
    calledBy(this.answer, () => {
      checkArguments("run.answer", question);
      if (this.living === undefined)
        throw harnError(
          "HARN-LIB-001",
          `${this.id} does not live: \`h.runs.answer\` keeps an answer for \`h.resume\``,
          { run: this.id },
        );
      this.living.answer(question, value);
    });
  }

  async stop(reason = "stopped"): Promise<void> {
    checkArguments("run.stop", reason);
    this.ask(reason);
    await this.done;
  }

  private ask(...reason: StopOf): void {
    if (this.stopping !== undefined) return;
    this.stopping = reason;
    this.living?.stop(...reason);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop("disposed");
  }
}

type StopOf = readonly [reason: string, cause?: unknown];

/** Why a signal was aborted; what an `abort()` without a reason makes says nothing. */
function abortReason({ reason }: AbortSignal): StopOf {
  if (reason instanceof DOMException && reason.name === "AbortError") return ["aborted"];
  return [reason instanceof Error ? reason.message : String(reason), reason];
}

/** The words of the outermost agent: pieces as they come, or the whole where none came. */
async function* spokenPieces(events: AsyncIterable<RunEvent>): AsyncGenerator<string, void, undefined> {
  let inPieces = false;
  for await (const event of events) {
    if (event.parent !== null || event.loop === null) continue;
    if (event.type === "message.delta") {
      inPieces = true;
      yield event.data.text;
    } else if (event.type === "message.end" && event.data.role === "assistant") {
      if (!inPieces && event.data.text !== "") yield event.data.text;
      inPieces = false;
    }
  }
}
