/**
 * What the test runner passes around: cases, options, results. Plain data throughout, because results travel between
 * processes (the command line runs tests in child processes that it can end).
 */

/** A pipeline, or a program with an expectation beside it (language.md §25). */
export type TestKind = "pipeline" | "expected" | "error";

export interface TestCase {
  /** Canonical path of the file. */
  readonly file: string;
  /** The pipeline's name; the file's own name for expectation programs. */
  readonly name: string;
  readonly kind: TestKind;
  /** 1-based line at which the test begins. */
  readonly line: number;
}

/** How model calls are answered. */
export type ModelMode =
  /** By the mock alone: no key is visible to the test. */
  | "mock"
  /** As in a live run; every answer is written to `.harn-fixtures`. */
  | "record"
  /** From `.harn-fixtures`; a call without a file fails. */
  | "replay";

export interface TestOptions {
  readonly timeoutMs: number;
  /** Substring of name or path. */
  readonly filter?: string | undefined;
  /** Seed of the whole test run; each test's own seed is made from it. */
  readonly seed: string;
  /** Was the seed asked for? Then both runs of `--determinism` use the same one. */
  readonly hasSeed: boolean;
  readonly determinism: boolean;
  /** On a machine without clock, disk, programs and network of its own. */
  readonly hermetic?: boolean;
  readonly coverage: boolean;
  readonly models: ModelMode;
  /** Fixture file of `--llm-mock`, instead of the one beside each file. */
  readonly llmMock?: string | undefined;
  readonly colour: boolean;
}

export type TestStatus =
  | "passed"
  | "failed"
  /** Stopped at its limit. */
  | "timeout"
  /** Its process ended under it. */
  | "crashed";

export interface TestResult extends TestCase {
  readonly status: TestStatus;
  readonly durationMs: number;
  /** One line; absent when passed. */
  readonly message?: string | undefined;
  /** What a person wants to see: place, caret, difference. Rendered, several lines. */
  readonly detail?: string | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly seed: string;
}

/** Hits by statement of one source file. */
export interface FileCoverage {
  readonly path: string;
  /** `[offset, line, hits]`, in source order. */
  readonly statements: readonly (readonly [number, number, number])[];
}

/** One file with all its tests run. */
export interface FileReport {
  readonly file: string;
  readonly results: readonly TestResult[];
  /** Files that the tests were compiled from: what `--watch` looks at. */
  readonly inputs: readonly string[];
  readonly coverage: readonly FileCoverage[];
}
