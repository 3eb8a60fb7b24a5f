/** What a fuzzer is: inputs from a seed, and something that reads them. */
import type { Dice } from "../support/fuzz-text.ts";

/**
 * Named texts, in the order in which they were made. Bytes stand in a text as one character each (`latin1`), so that a
 * finding is a JSON file that can be read and cut.
 */
export type Input = Readonly<Record<string, string>>;

export interface Fuzzer {
  readonly name: string;
  /** The input of a seed: the same on every machine. */
  make(dice: Dice): Input;
  /**
   * Runs it in a folder of its own, which is the working directory, and gives what was said. What is printed is judged
   * too. An error that leaves it is a finding.
   */
  run(input: Input, folder: string): Promise<string> | string;
  /** What the machinery around the input says of itself and a leak is not. */
  readonly allowed?: RegExp;
  /** Released before the process ends: servers. */
  close?(): Promise<void>;
}

/** What is wrong with an input; undefined when nothing. */
export interface Fault {
  readonly kind: "crash" | "leak" | "hang" | "memory";
  /** In a line: two faults with the same one are taken for the same. */
  readonly what: string;
  /** All that was said, or the error's own trace. */
  readonly said: string;
}

/** A file of a finding; `npm run fuzz -- --replay FILE` runs it again. */
export interface Finding extends Fault {
  readonly fuzzer: string;
  readonly seed: number;
  readonly input: Input;
}
