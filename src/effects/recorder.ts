/**
 * Writes a run's journal: fingerprints and packs what effects say, keeps secrets out, numbers hand-overs. What happens and
 * when is `JournalledEffects`' business.
 */

import type { Json } from "../values/index.ts";
import { type BlobSink, type Digest, type KeyOrder, pack } from "./blobs.ts";
import {
  type EndResult,
  type Fingerprint,
  type JournalRecord,
  type JournalWriter,
  journalFormat,
  type RunHeader,
} from "./journal.ts";
import type { EffectCall, JournalledClass, ProgramResult, RunEnd } from "./port.ts";
import { type Secrets, standInMark } from "./secrets/secrets.ts";

/** What the caller knows about the run; the rest of the header is added here. */
export type RunInfo = Omit<RunHeader, "t" | "journal" | "format" | "seed">;

export interface OutputHash {
  update(text: string): void;
  digest(): string;
}

export interface RecorderOptions {
  readonly writer: JournalWriter;
  readonly digest: Digest;
  readonly secrets: Secrets;
  /** Hashes standard output piece by piece. */
  readonly outputHash: OutputHash;
  /** Of a journal that is resumed; default the newest. */
  readonly format?: number;
}

export class Recorder {
  readonly secrets: Secrets;
  readonly writer: JournalWriter;
  private readonly digest: Digest;
  private readonly outputHash: OutputHash;
  private readonly format: number;
  private readonly bare = new Map<string, Fingerprint>();
  private readonly stored = new Set<string>();
  private readonly sink: BlobSink = { put: (hash, text) => this.putBlob(hash, text) };
  /** Hand-overs so far. */
  order = 0;
  /** Pieces of standard output so far, and how many there were when the last record was written. */
  printed = 0;
  private printedBefore = 0;
  /** Records of the run's history so far, without the header: those that it goes on from, and its own. */
  records = 0;

  constructor(options: RecorderOptions) {
    this.writer = options.writer;
    this.digest = options.digest;
    this.secrets = options.secrets;
    this.outputHash = options.outputHash;
    this.format = options.format ?? journalFormat;
  }

  begin(run: RunInfo, seed: string): void {
    this.secrets.follow({ format: this.format, mark: standInMark(seed, this.digest) });
    const hidden = this.secrets.hideIn({ argv: run.argv, options: run.options }) as Pick<
      RunHeader,
      "argv" | "options"
    >;
    this.append({ t: "run", journal: "harn", format: this.format, ...run, ...hidden, seed });
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

  fingerprint<T>(call: EffectCall<T>): Fingerprint {
    this.secrets.noteAsked(call.variable);
    const args = call.args();
    if (args === null) return this.bareFingerprint(call);
    return this.fingerprintOf(call, this.laidOut(this.secrets.namedIn(args), "sorted"));
  }

  /** Of calls without arguments, of which there are few: most are looks at the clock, several in each turn. */
  private bareFingerprint<T>(call: EffectCall<T>): Fingerprint {
    const key = `${call.effect} ${call.kind}`;
    const known = this.bare.get(key) ?? this.fingerprintOf(call, null);
    this.bare.set(key, known);
    return known;
  }

  private fingerprintOf<T>({ effect, kind }: EffectCall<T>, a: Json): Fingerprint {
    return { c: effect, k: kind, h: fingerprintOf(effect, kind, a, this.digest), a };
  }

  /** What an effect gave. */
  packed(json: Json): Json {
    if (json === null || typeof json === "number" || typeof json === "boolean") return json;
    return this.laidOut(this.secrets.hideResult(json), "given");
  }

  private laidOut(hidden: Json, order: KeyOrder): Json {
    return pack(hidden, this.digest, this.sink, this.format, order);
  }

  /** Adds a record, with the count of printed pieces where it has changed. */
  append(record: JournalRecord): void {
    const written = record.t === "end" || record.t === "shown" || this.printed === this.printedBefore;
    this.printedBefore = this.printed;
    if (record.t === "resume") this.records = record.keep;
    else if (record.t !== "run") this.records++;
    this.writer.append(written ? record : ({ ...record, w: this.printed } as JournalRecord));
  }

  output(text: string): void {
    // A replay without the secret prints its placeholder: both have the same hash.
    const shown = this.secrets.named(text);
    // An interrupt may break this off wherever a function begins: both happen, or none.
    this.outputHash.update(shown);
    this.printed++;
  }

  end(end: RunEnd): void {
    const { reason, exitCode, notes = [], waits = [], outcome } = end;
    const result = endResult(end.result?.(), this.secrets, this.digest, this.format);
    const hidden = (lines: readonly string[]): string[] => lines.map((line) => this.secrets.hide(line));
    const written = {
      ...(notes.length === 0 ? {} : { notes: hidden(notes) }),
      ...(waits.length === 0 ? {} : { waits: hidden(waits) }),
      ...(outcome === undefined
        ? {}
        : { outcome: { status: outcome.status, why: this.secrets.hide(outcome.why) } }),
      ...(result === undefined ? {} : { result }),
    };
    const output = this.outputHash.digest();
    this.append({ t: "end", reason, code: exitCode, ...written, w: this.printed, output });
  }

  private putBlob(hash: string, text: string): void {
    if (this.stored.has(hash)) return;
    this.stored.add(hash);
    this.writer.blob(hash, text);
  }
}

/** A header with the secrets in its arguments and options, for a run that goes on or is shown again. */
export function revealedHeader(header: RunHeader, secrets: Secrets): RunHeader {
  const { argv, options } = header;
  return {
    ...header,
    argv: secrets.revealIn([...argv]) as readonly string[],
    options: secrets.revealIn(options),
  };
}

/** A result with a JSON text up to this length is kept with the end of its run. */
const keptLength = 64 * 1024;

/** What a run gave, as it is kept and compared. */
export function endResult(
  given: ProgramResult | undefined,
  secrets: Secrets,
  digest: Digest,
  format: number,
): EndResult | undefined {
  if (given === undefined) return undefined;
  const named = secrets.namedIn(given) as ProgramResult;
  if (JSON.stringify(named).length <= keptLength) return named;
  return { digest: digest(JSON.stringify(pack(named, digest, { put: () => {} }, format, "sorted"))) };
}

/** What must be the same on replay. */
export function fingerprintOf(effect: JournalledClass, kind: string, packed: Json, digest: Digest): string {
  return digest(`${effect} ${kind} ${JSON.stringify(packed)}`).slice(0, 16);
}
