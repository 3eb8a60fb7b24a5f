/**
 * Effects with a journal: intents before, results after, in the order in which they were handed over. An intent of a
 * class that changes the outside (write, model, human) is flushed before the effect starts, so a process that dies in
 * between leaves a trace of the attempt.
 */
import { type MaybePromise, ScriptError } from "../values/index.ts";
import { type BlobSink, type Digest, pack } from "./blobs.ts";
import { type CoreOptions, Pending } from "./core.ts";
import { encodeError } from "./error-codec.ts";
import type { Flight } from "./flight.ts";
import {
  type Fingerprint,
  JournalProblem,
  type JournalRecord,
  type JournalWriter,
  journalFormat,
  type RunHeader,
} from "./journal.ts";
import { LiveEffects } from "./live.ts";
import type {
  Decision,
  EffectCall,
  EffectMode,
  EffectScope,
  JournalledClass,
  Json,
  RunEnd,
  StopRequest,
} from "./port.ts";
import type { Secrets } from "./secrets.ts";

/** What the caller knows about the run; the rest of the header is added here. */
export type RunInfo = Omit<RunHeader, "t" | "journal" | "format" | "seed">;

export interface RecordingOptions extends CoreOptions {
  readonly writer: JournalWriter;
  readonly digest: Digest;
  readonly secrets: Secrets;
  readonly run: RunInfo;
  /** Hashes standard output piece by piece. */
  readonly outputHash: OutputHash;
}

export interface OutputHash {
  update(text: string): void;
  digest(): string;
}

/** Classes whose intent is written before they happen. */
const announced: readonly JournalledClass[] = ["read", "write", "model", "human"];
/** Of these, the ones that must not happen without a trace. */
const flushed: readonly JournalledClass[] = ["write", "model", "human"];

export class RecordingEffects extends LiveEffects {
  override readonly mode: EffectMode = "record";
  private readonly writer: JournalWriter;
  private readonly digest: Digest;
  readonly secrets: Secrets;
  private readonly outputHash: OutputHash;
  private readonly stored = new Set<string>();
  private readonly sink: BlobSink = { put: (hash, text) => this.putBlob(hash, text) };
  private order = 0;
  /** `printed` when the last record was written. */
  private noted = 0;

  constructor(options: RecordingOptions) {
    super(options);
    this.writer = options.writer;
    this.digest = options.digest;
    this.secrets = options.secrets;
    this.outputHash = options.outputHash;
    this.begin(options.run);
  }

  private begin(run: RunInfo): void {
    const hidden = this.secrets.hideIn({ argv: run.argv, options: run.options }) as Pick<
      RunHeader,
      "argv" | "options"
    >;
    this.append({ t: "run", journal: "harn", format: journalFormat, ...run, ...hidden, seed: this.seed });
  }

  /** Keeps the text of a script or module, so that a replay needs no file. */
  source(name: string, text: string): void {
    const hash = this.digest(text);
    this.putBlob(hash, JSON.stringify(text));
    this.append({ t: "source", name, hash });
  }

  /** Notes which source an import meant. */
  module(from: string, specifier: string, name: string): void {
    this.append({ t: "module", from, specifier, name });
  }

  override perform<T>(scope: EffectScope, call: EffectCall<T>, flight?: Flight): MaybePromise<T> {
    this.refuseAfterProblem();
    if (this.inside) return this.start(call, flight);
    const number = scope.effects++;
    const print = this.fingerprint(call);
    const place = { p: scope.path, n: number };
    const early = announced.includes(call.effect);
    if (early) this.append({ t: "intent", ...place, ...print });
    if (flushed.includes(call.effect)) this.flush();
    const rest = early ? place : { ...place, ...print };
    let result: MaybePromise<T>;
    try {
      result = this.start(call, flight);
      if (!(result instanceof Promise)) {
        this.append({ t: "result", ...rest, v: this.packed(call.encode(result)) });
        return result;
      }
    } catch (error) {
      if (!isPassing(error)) this.append({ t: "result", ...rest, e: this.packed(encodeError(error)) });
      throw error;
    }
    // What waits has an intent in every class: a replay must know that it was asked for, though perhaps never given.
    if (!early) this.append({ t: "intent", ...place, ...print });
    const pending = new Pending(scope, number, call, (given) => this.given(given));
    return this.await(pending, result, flight);
  }

  private given<T>(pending: Pending<T>): void {
    this.untrack(pending);
    const { outcome } = pending;
    if (outcome === undefined) return;
    const place = { p: pending.scope.path, n: pending.number, o: this.order++ };
    try {
      if ("value" in outcome) {
        this.append({ t: "result", ...place, v: this.packed(pending.call.encode(outcome.value)) });
        return;
      }
      this.append({ t: "result", ...place, e: this.packed(encodeError(outcome.error)) });
    } catch (error) {
      // The result cannot be stored (a function in it, a full disk): the task is told instead.
      pending.outcome = { error };
      if (error instanceof ScriptError)
        this.append({ t: "result", ...place, e: this.packed(encodeError(error)) });
    }
  }

  protected override stopNow(request: StopRequest): void {
    this.append({ t: "stop", turn: this.turns.taken, reason: request.reason, code: request.exitCode });
    this.onStop(request);
  }

  /** What is recorded survives a violent end up to the last time that the run waited for something outside. */
  protected override rest(): void {
    if (this.problem === undefined) this.flushAtRest();
    super.rest();
  }

  private flushAtRest(): void {
    try {
      this.flush();
    } catch (error) {
      // `guard` has noted it, and ends the run.
      if (!(error instanceof JournalProblem)) throw error;
    }
  }

  override decided(decision: Decision): void {
    this.append({
      t: "decision",
      p: decision.path,
      s: decision.steps,
      k: decision.kind,
      of: decision.subject,
      turn: this.turns.taken,
    });
  }

  override output(text: string): boolean {
    // A replay without the secret prints its placeholder: both have the same hash.
    const shown = this.secrets.hide(text);
    // An interrupt may break this off wherever a function begins: both happen, or none.
    this.outputHash.update(shown);
    this.printed++;
    return true;
  }

  override async close(end?: RunEnd): Promise<void> {
    if (this.closed) return;
    this.shut();
    try {
      if (end !== undefined && this.problem === undefined) {
        this.append({
          t: "end",
          reason: end.reason,
          code: end.exitCode,
          w: this.printed,
          output: this.outputHash.digest(),
        });
      }
      this.writer.close();
    } catch (error) {
      this.problem ??= error;
    }
  }

  override flush(): void {
    this.guard(() => this.writer.flush());
  }

  private fingerprint<T>(call: EffectCall<T>): Fingerprint {
    const a = this.packed(call.args());
    return { c: call.effect, k: call.kind, h: fingerprintOf(call.effect, call.kind, a, this.digest), a };
  }

  private packed(json: Json): Json {
    return pack(this.secrets.hideIn(json), this.digest, this.sink);
  }

  private putBlob(hash: string, text: string): void {
    if (this.stored.has(hash)) return;
    this.stored.add(hash);
    this.append({ t: "blob", hash, v: JSON.parse(text) as Json });
  }

  private append(record: JournalRecord): void {
    const noted = this.printed === this.noted || record.t === "end" ? record : { ...record, w: this.printed };
    this.noted = this.printed;
    this.guard(() => this.writer.append(noted as JournalRecord));
  }

  /** A journal that cannot be written ends the run: what is not recorded could not be resumed. */
  private guard(write: () => void): void {
    try {
      write();
    } catch (error) {
      if (error instanceof JournalProblem && this.problem === undefined) {
        this.problem = error;
        this.onProblem(error);
      }
      throw error;
    }
  }

  private refuseAfterProblem(): void {
    if (this.problem !== undefined) throw this.problem;
  }
}

/** Things on their way through an effect that are no result of it: a stop, an exit, a bug. */
function isPassing(error: unknown): boolean {
  if (error instanceof JournalProblem) return true;
  if (error instanceof ScriptError || error instanceof Error) return false;
  return typeof (error as { message?: unknown } | undefined)?.message !== "string";
}

/** What must be the same on replay. */
export function fingerprintOf(effect: JournalledClass, kind: string, packed: Json, digest: Digest): string {
  return digest(`${effect} ${kind} ${JSON.stringify(packed)}`).slice(0, 16);
}
