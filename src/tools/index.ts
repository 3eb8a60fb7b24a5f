/** Tools for people who write scripts. Nothing here is loaded by a run: every tool is a loader. */

/** `harn test`. */
export const loadTestRunner = () => import("./test/index.ts");
export type { FormatOptions, FormatResult } from "./format/format.ts";
export type {
  FileCoverage,
  FileReport,
  ModelMode,
  TestBench,
  TestCase,
  TestMachine,
  TestOptions,
  TestResult,
} from "./test/index.ts";

/** The formatter (language.md §26). */
export const loadFormatter = () => import("./format/format.ts");

/** The linter (language.md §27). */
export const loadLinter = () => import("./lint/lint.ts");
export type { LintOptions, RuleFinding as LintFinding } from "./lint/lint.ts";

/** `harn doc` and the reference page. */
export const loadDocs = () => import("./doc/index.ts");

/** `harn repl`. */
export const loadRepl = () => import("./repl/index.ts");
export type { Evaluation, Session } from "./repl/index.ts";

/** `harn check --capabilities`. */
export const loadCapabilities = () => import("./capabilities/uses.ts");
