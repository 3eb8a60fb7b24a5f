/** The flags of the commands for people who write scripts. */
import { bool, duration, int, path, text } from "../../host/command/flags.ts";
import { modelFlags } from "../../run/setup/index.ts";

export const checkFlags = {
  json: bool("one JSON object per finding"),
  capabilities: bool("list what each script needs: fs.read, fs.write, net, process, env, model, people"),
  strictTypes: bool(
    "also check arguments of builtins, values that may be nil, unvalidated answers, variables at the top of a file",
  ),
};

export const fmtFlags = {
  check: bool("change nothing: name the files that would change, show how, and exit with 1"),
};

export const lintFlags = {
  fix: bool("repair what can be repaired without changing what the program does"),
  json: bool("one JSON object per finding"),
  rules: bool("list the rules"),
};

export const testFlags = {
  filter: text("text", "only tests whose name or path contains this text"),
  verbose: bool("a line for every test, with what it printed"),
  timing: bool("show how long each test took, and the slowest"),
  timeout: duration("time", "limit of one test, such as 500ms, 10s or 2m (30s)"),
  parallel: bool("run files at once, one process per processor"),
  jobs: int("count", "run files at once in this many processes", { max: 512 }),
  junit: path("file", "write the results as JUnit XML"),
  json: bool("one JSON object per test, then one with the totals"),
  determinism: bool("run each test twice and compare output, model answers and effects"),
  hermetic: bool(
    "fixed time, order and ids, files in memory, no programs, no network; sleeping costs nothing",
  ),
  llmMock: path("file", "answer model calls from this fixture file instead of the one beside each test"),
  record: bool("call real models and keep their answers in .harn-fixtures"),
  replay: bool("answer model calls from .harn-fixtures"),
  watch: bool("stay, and run again what a change touches"),
  coverage: bool("count which lines run; writes an lcov file"),
  lcov: path("file", "where --coverage writes (coverage/lcov.info)"),
  seed: text("text", "seed of the tests' random numbers and ids"),
};

export const benchFlags = {
  n: int("count", "how often it is measured (20)", { max: 100_000, short: "-n", shortOnly: true }),
  compare: text("other", "another script, measured in turn with the first"),
  json: bool("one JSON object"),
  tape: modelFlags.tape,
  llmMock: modelFlags.llmMock,
};

export const docFlags = {
  search: text("words", "what speaks of these words, the best first"),
  all: bool("the whole reference page, in Markdown"),
};
