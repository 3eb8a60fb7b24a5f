/** What writing needs of a machine, and who writes. */
import { type EmbeddedOperations, type PaperChange, sourceOperations } from "../../durable/index.ts";
import type { Json } from "../../effects/index.ts";

export interface Machine {
  /** Milliseconds since the epoch. */
  now(): number;
  /** A new UUIDv7. */
  uuid(): string;
  /** SHA-256 of a text as UTF-8, hexadecimal. */
  sha256(text: string): string;
}

/** Who changes a paper. */
export interface Writer {
  /** A principal, or `agent`. */
  readonly by: string;
  readonly run?: string | null;
  /** Why, in a line. */
  readonly note?: string | null;
  /**
   * `RUN#STEP`: who repeats a change with this key, because nobody knows whether it happened, gets what it gave the first
   * time.
   */
  readonly key?: string | undefined;
}

/** A store's operations with the machine around them: what papers, library, sources and notes work on. */
export class WritingStore {
  readonly operations: EmbeddedOperations;
  readonly machine: Machine;

  constructor(operations: EmbeddedOperations, machine: Machine) {
    this.operations = operations;
    this.machine = machine;
  }

  /** One transaction; with a key what it gave the first time. */
  once<T extends Json>(key: string | undefined, work: () => T): T {
    return this.operations.together(() =>
      key === undefined ? work() : (this.operations.store.requestKeys.once(key, work) as T),
    );
  }

  change({ by, run = null, note = null }: Writer): PaperChange {
    return { by, run, note, now: this.machine.now() };
  }

  /** A text by its content. "" needs no piece. */
  piece(text: string): { readonly hash: string; readonly pieces: readonly { hash: string; text: string }[] } {
    if (text === "") return { hash: "", pieces: [] };
    const json = JSON.stringify(text);
    const hash = this.machine.sha256(json);
    return { hash, pieces: [{ hash, text: json }] };
  }

  /** The text of a source; undefined when it is not kept. */
  sourceText(id: string): string | undefined {
    return this.operations.operateSync(sourceOperations.get, { id })?.text;
  }
}

/** UUID version 7 of a time in milliseconds and 16 bytes of chance: sorts by time. */
export function uuid7From(now: number, random: Uint8Array): string {
  const bytes = Uint8Array.from(random);
  let left = Math.floor(now);
  for (let index = 5; index >= 0; index--) {
    bytes[index] = left % 256;
    left = Math.floor(left / 256);
  }
  bytes[6] = 0x70 | ((bytes[6] as number) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
