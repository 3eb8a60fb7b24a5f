/** Which options there are, and of what kind: a table for each record of `types.ts`. */
import { harnError } from "./errors.ts";
import * as is from "./option-checks.ts";
import type {
  AskOptions,
  FlowAgentOptions,
  FlowOptions,
  ForkOptions,
  HarnOptions,
  ParallelOptions,
  ReplayOptions,
  ResumeOptions,
  RunOptions,
  Runs,
  StepOptions,
} from "./types.ts";

export const harnKinds: is.Kinds<HarnOptions> = {
  cwd: is.text,
  store: is.store,
  env: is.textsByName,
  model: is.text,
  provider: is.text,
  baseUrl: is.text,
  apiKey: is.text,
  mock: is.eitherKind(is.text, is.listOfKind(is.record)),
  tape: is.text,
  tools: is.tools,
  allow: is.listOfKind(is.text),
  deny: is.listOfKind(is.text),
  onQuestion: is.fn,
  onDoubt: is.oneOfWords("ask", "redo", "skip", "fail"),
  fetch: is.fn,
  signal: is.signal,
  log: is.fn,
};

/** `caller`: who was given them. */
export function checkHarn(caller: string, options: HarnOptions): void {
  is.checkGiven(caller, options, harnKinds);
  if (options.store === false && options.onQuestion !== undefined)
    throw harnError(
      "HARN-LIB-001",
      `${caller}: \`onQuestion\` needs a store, where questions are kept: leave \`store: false\` out`,
    );
}

export const listKinds: is.Kinds<NonNullable<Parameters<Runs["list"]>[0]>> = {
  limit: is.countFrom(1),
  after: is.text,
};

export const runKinds: is.Kinds<RunOptions> = {
  input: is.anything,
  args: is.listOfKind(is.anyText),
  tools: is.tools,
  output: is.schema,
  signal: is.signal,
  timeout: is.countFrom(1),
  name: is.name,
  onPrint: is.fn,
};

const { input: _input, args: _args, ...ofAnyRun } = runKinds;

/** Those of `agent` that are not `agent_loop`'s. */
export const agentKinds: is.Kinds<Omit<RunOptions, "input" | "args"> & { readonly prompt: string }> = {
  ...ofAnyRun,
  prompt: is.anyText,
};

const { output: _output, signal: _signal, name: _ofRun, ...ofTurns } = ofAnyRun;
/** Those of `harnHarness` that are not `agent_loop`'s. */
export const harnessKinds: is.Kinds<Pick<RunOptions, "tools" | "timeout" | "onPrint">> = ofTurns;

const { onPrint: _onPrint, ...ofAnyFlow } = ofAnyRun;
export const flowKinds: is.Kinds<FlowOptions> = ofAnyFlow;

export const stepKinds: is.Kinds<StepOptions> = {
  effect: is.oneOfWords("read", "write"),
  idempotent: is.bool,
};

export const askKinds: is.Kinds<AskOptions> = {
  schema: is.schema,
  default: is.anything,
  timeout: is.countFrom(1),
  choices: is.listOfKind(is.anyText),
  context: is.anything,
};

/** Those of `ctx.agent` that are not `agent_loop`'s. */
export const flowAgentKinds: is.Kinds<Pick<FlowAgentOptions, "prompt" | "tools" | "output">> = {
  prompt: is.anyText,
  tools: is.tools,
  output: is.schema,
};

export const parallelKinds: is.Kinds<ParallelOptions> = { concurrency: is.countFrom(1) };

const { name: _name, ...resumed } = ofAnyRun;
export const resumeKinds: is.Kinds<ResumeOptions> = { ...resumed, script: is.text };

export const forkKinds: is.Kinds<ForkOptions & ResumeOptions> = {
  ...resumeKinds,
  at: is.countFrom(1),
  result: is.anything,
  model: is.text,
  provider: is.text,
};

export const replayKinds: is.Kinds<ReplayOptions> = {
  script: is.text,
  tools: is.oneOfWords("recorded", "live"),
};

const runName = { "the run": is.text };

/** Arguments that have a place of their own, in their order, by the function that programs call. */
const argumentKinds = {
  "h.run": { "the script": is.source },
  "h.resume": runName,
  "h.replay": { "the run": is.recorded },
  "h.fork": runName,
  "h.runs.get": runName,
  "h.runs.events": {
    ...runName,
    "the number after which they are given": is.eitherKind(is.countFrom(0), is.leftOut),
  },
  "h.runs.questions": runName,
  "h.runs.answer": { ...runName, "the question": is.text },
  "h.runs.export": { ...runName, "the file": is.text },
  "h.runs.import": { "the file": is.text },
  "h.runs.remove": runName,
  "run.answer": { "the question": is.text },
  "run.stop": { "the reason": is.anyText },
} satisfies { readonly [called: string]: { readonly [what: string]: is.Kind } };

/** What is given at these places, as far as there is a row for it. */
export function checkArguments(called: keyof typeof argumentKinds, ...given: readonly unknown[]): void {
  for (const [at, [what, kind]] of Object.entries<is.Kind>(argumentKinds[called]).entries())
    is.checkWord(called, what, given[at], kind);
}
