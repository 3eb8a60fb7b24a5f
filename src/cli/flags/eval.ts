/** The flags of `harn eval`. */
import {
  bool,
  duration,
  int,
  many,
  money,
  names,
  needed,
  number,
  off,
  oneOf,
  orBare,
  pairs,
  path,
  text,
} from "../../host/command/flags.ts";
import { doubts, modelFlags } from "../../run/setup/index.ts";

export const gateFlags = {
  baseline: text("set", "the set that `not_below baseline` is about"),
  gate: many("text", "another gate for every task: `success >= 0.8`"),
  strict: bool("unclear gates fail"),
  margin: number("m", "differences within ±m count as equivalent"),
};

export const formFlags = {
  json: bool("one JSON object instead of the summary"),
  junit: path("file", "write JUnit XML: a suite for each task and variant, and the gates"),
  html: path("file", "write the page: one file that loads nothing"),
  csv: path("file", "write a row for each trial"),
  transcripts: oneOf("which", "conversations in the page: failed (default), all, none", [
    "failed",
    "all",
    "none",
  ]),
  github: bool("append to $GITHUB_STEP_SUMMARY and print ::error and ::warning for gates"),
};

export const setFlags = {
  ...formFlags,
  ...gateFlags,
  ...modelFlags,
  trials: int("n", "trials at once (16)"),
  processes: int("n", "commands of trials at once (as many as there are processors)"),
  connections: pairs(
    "provider=rule",
    "requests at once to a provider: `openai=20`, or `openai=MIN-START-MAX`",
  ),
  role: pairs(
    "role=model",
    "the model of a role (agent, user, judge), where nothing else names one but the task",
  ),
  cost: money("usd", "what the set may cost; it pauses before it would cost more"),
  tokens: int("n", "tokens that it may use"),
  time: duration("duration", "how long this process works on it: 90s, 5m, 1h", { min: 0 }),
  maxErrors: number("n", "errored trials that end it early: a share below 1, or a count"),
  retries: int("n", "retries of a trial that errored", { min: 0 }),
  giveUp: duration("duration", "a provider that answers nothing for so long pauses it (10m)", { min: 0 }),
  grace: duration("duration", "how long calls in flight may take to end when it stops (30s; TERM: 10s)", {
    min: 0,
  }),
  cache: orBare(
    duration("age", "keep answers of models, and take them again while they are not older: 7d", { min: 0 }),
  ),
  onDoubt: oneOf("how", "effects under way when it was killed: ask (default), redo, skip, fail", doubts),
  detach: bool("goes on in the background; prints {set, pid, log}"),
  plain: bool("lines for a log, also on a terminal"),
  quiet: bool("nothing while it runs"),
  seed: text("text", "seed of random numbers, ids and the order of samples"),
};

/** Trials on other machines. */
const workerFlags = {
  workers: bool(
    "let workers of [cluster] in harn.toml do the trials, in chunks; the set, its gates and its report stay here",
  ),
  sign: path("key", "with --workers: sign the trials with this private key, for workers with --signed-by"),
};

export const trialFlags = {
  ...setFlags,
  ...workerFlags,
  redo: oneOf("what", "also run again: errored, failed, unscored, all", [
    "errored",
    "failed",
    "unscored",
    "all",
  ]),
  race: oneOf("off", "`off`: trials that a race does not need are run, too", ["on", "off"]),
  score: off("no scorers now; `harn eval resume` makes missing scores"),
};

export const evalRunFlags = {
  set: text("name", "name of the set; one that exists goes on and grows"),
  task: text("glob", "only the tasks whose names fit"),
  sample: names("globs", "only the samples whose ids fit"),
  limit: text("n", "only the first N samples, or from A to B: `A-B`"),
  epochs: int("k", "repetitions of each sample"),
  variant: pairs("key=values", "values of a key of the matrix: `model=a,b`"),
  param: pairs("name=value", "what `eval_param` gives"),
  stale: oneOf("what", "finished trials whose task or row changed since: ask (default), keep, redo, follow", [
    "ask",
    "keep",
    "redo",
    "follow",
  ]),
  structuralExperiment: text(
    "spec",
    "scripts without tasks: run a second time with this experiment, and compare",
  ),
  ...trialFlags,
};

export const scoreFlags = {
  script: path("file", "with the scorers that this script has now"),
  scorer: names("names", "only these scorers"),
  draws: int("j", "so many draws of each judge"),
  ...setFlags,
};

export const resumeFlags = {
  task: text("glob", "only the open trials of tasks whose names fit; the others stay open"),
  sample: names("globs", "only the open trials of samples whose ids fit"),
  ...trialFlags,
};

export const evalShowFlags = {
  json: bool("as one JSON object, nothing shortened"),
  full: bool("every text whole"),
  ...gateFlags,
};

export const statusFlags = {
  watch: bool("again every second until it ends"),
  json: bool("as one JSON object"),
};

export const tuneFlags = {
  trials: int("n", "trials at once"),
  connections: pairs("provider=rule", "requests at once to a provider, as `run` takes it"),
  cost: money("usd", "what the set may cost"),
  tokens: int("n", "tokens that it may use"),
};

export const exportFlags = {
  as: oneOf("format", "`inspect`: a file .json is a log of Inspect AI", ["inspect"]),
};

export const compareFlags = {
  metric: names("names", "metrics; the first is the one that counts, the others are hints"),
  margin: number("m", "differences within ±m count as equivalent"),
  by: text("field", "also each group of samples by this field"),
  judge: text("name", "a judge made with `pairwise` says which side is better, sample by sample"),
  json: bool("one JSON list"),
};

export const evalReportFlags = {
  ...gateFlags,
  ...formFlags,
};

export const noiseFlags = {
  task: text("glob", "only the tasks whose names fit"),
  metric: text("name", "success, a scorer or a part of one; else the first of the task's metrics"),
  samples: int("n", "so many samples, chosen by the set's seed (20)"),
  agents: int("n", "streams of the agent (2)", { max: 50 }),
  users: int("n", "streams of the user (2; 1 where nobody is simulated)", { max: 50 }),
  environments: int("n", "re-runs of each cell with what agent and user drew (1)", { max: 50 }),
  judges: int("n", "judgements of each trial (2; 1 where no model judges)", { max: 50 }),
  cost: money("usd", "what it may cost; at the limit it pauses, and the same command goes on"),
  trials: int("n", "trials at once"),
  quiet: bool("no progress"),
  plain: bool("single lines in place of a drawing"),
  json: bool("as one JSON object"),
};

export const forkTrialFlags = {
  at: text(
    "step",
    "the step that is done differently; `pivot`: look for the one after which success falls most",
  ),
  trials: int("k", "continuations with the change, and as many without (8)"),
  model: text("id", "the agent's model from there on, whatever its calls name"),
  provider: text("name", "its provider"),
  set: pairs("name=value", "a variable of the environment, several times"),
  script: path("file", "another program; what it asks for otherwise earlier is live from there on"),
  result: text("json", "the step's own result, JSON or text"),
  cost: money("usd", "what the continuations may cost; at the limit they wait for the same command"),
  quiet: bool("no progress"),
  plain: bool("single lines in place of a drawing"),
  json: bool("as one JSON object"),
};

export const minimiseFlags = {
  at: text(
    "step",
    "the model call that is shortened; the last one that calls a tool, or with --scorer the last",
  ),
  scorer: text("name", "the failure is that this scorer does not pass; else that the same tools are called"),
  repeat: int("n", "tries of each request (3)"),
  need: int("n", "how many of them must fail (2)"),
  calls: int("n", "model calls in all (200)"),
  cost: money("usd", "what they may cost; at the limit the same command goes on"),
  quiet: bool("no progress"),
  json: bool("as one JSON object"),
};

export const labelFlags = {
  scorer: needed(text("name", "the judge that the labels are for")),
  n: int("count", "trials on the sheet (60)"),
  seed: text("text", "another choice of trials"),
  out: path("file", "write the sheet (CSV)"),
  in: path("file", "read a sheet whose column `label` is filled in"),
  rater: text("name", "with --in, who has labelled"),
};
