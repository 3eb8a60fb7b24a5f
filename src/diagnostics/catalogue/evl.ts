/** EVL: evaluations (docs/evals.md). Raised while a set is planned, run or looked at; with 001 to 019 nothing of it is run. */
import { entry } from "../diagnostic.ts";

export const evl = {
  "HARN-EVL-001": entry({
    severity: "error",
    message: (p: {
      readonly task: string;
      readonly field: string;
      readonly what: string;
      readonly got: string;
    }) => `task \`${p.task}\`: ${p.field}: expected ${p.what}, got ${p.got}`,
    explain:
      "A field of a task has a value that it can't have. The message says what it must be.\n" +
      "Nothing of the set was run: a limit that is not understood must not be no limit.",
  }),
  "HARN-EVL-002": entry({
    severity: "error",
    message: (p: { readonly task: string; readonly field: string; readonly near: string | undefined }) =>
      `task \`${p.task}\`: unknown option "${p.field}"${p.near === undefined ? "" : `, did you mean "${p.near}"?`}`,
    explain:
      "Tasks have the fields that `docs/evals.md` lists, and no others: a misspelt limit would be no limit at all.\n" +
      "Notes of your own begin with `_`.",
  }),
  "HARN-EVL-003": entry({
    severity: "error",
    message: (p: { readonly name: string }) => `two tasks are called ${p.name}`,
    explain:
      "Trials are found by the name of their task, so that each name is given once in a set. Rename one of the two.",
  }),
  "HARN-EVL-004": entry({
    severity: "error",
    message: (p: { readonly path: string; readonly line?: number; readonly reason: string }) =>
      `${p.path}${p.line === undefined ? "" : `, line ${p.line}`}: ${p.reason}`,
    explain:
      "A dataset has a row that can't be read, or can't be read at all. The message names the file, the line and the reason.\n" +
      "Rows are never left out silently: mend the line, or leave it out with `where`.",
  }),
  "HARN-EVL-005": entry({
    severity: "error",
    message: (p: {
      readonly path: string;
      readonly id: string;
      readonly first: number;
      readonly second: number;
    }) => `${p.path}: the id ${p.id} occurs twice (rows ${p.first} and ${p.second})`,
    explain:
      "Two rows of a dataset give themselves the same id. Trials are found by it, and paired comparison needs it.\n" +
      "Give them different ids, or none: then each row has one made from what it says.",
  }),
  "HARN-EVL-006": entry({
    severity: "error",
    message: (p: { readonly task: string; readonly read: number; readonly left: number }) =>
      `the dataset of ${p.task} has no samples (${p.read} ${p.read === 1 ? "row" : "rows"} read, ${p.left} left out by where)`,
    explain: "A task without samples would measure nothing. Look at the path of the dataset and at `where`.",
  }),
  "HARN-EVL-007": entry({
    severity: "error",
    message: (p: { readonly task: string; readonly text: string; readonly reason: string }) =>
      `task \`${p.task}\`: the variant ${p.text} can't be read: ${p.reason}`,
    explain:
      "`variants` is a dict of lists (every combination is a variant), or a list of dicts that each have a `name`.",
  }),
  "HARN-EVL-008": entry({
    severity: "error",
    message: (p: { readonly task: string; readonly text: string; readonly reason: string }) =>
      `task \`${p.task}\`: the metric ${p.text} can't be read: ${p.reason}`,
    explain:
      "Metrics are `success`, the name of a scorer, `SCORER.PART`, `pass@K`, `pass^K`, `cost_usd`, `tokens`, `turns`, `working_ms` " +
      "(each with `.p50`, `.p90`, `.p99`), `total_cost_usd`, `errors`, `unscored`, `user_faults`, `flaky` and `icc`.",
  }),
  "HARN-EVL-009": entry({
    severity: "error",
    message: (p: { readonly task: string; readonly text: string; readonly reason: string }) =>
      `task \`${p.task}\`: the gate ${p.text} can't be read: ${p.reason}`,
    explain:
      "A gate is `METRIC >= NUMBER` (also `<= > <`), `METRIC surely >= NUMBER`, `METRIC not_below baseline by NUMBER` or " +
      "`METRIC not_above baseline by NUMBER`. A metric may have `/VARIANT` and `[field=value]`.",
  }),
  "HARN-EVL-010": entry({
    severity: "error",
    message: (p: { readonly name: string }) => `no set is called ${p.name}`,
    help: () => "`harn eval list` shows the sets of this project; `last` is the newest",
    explain:
      "The project's state folder holds no set of evaluations with this name. It may lie in another folder.",
  }),
  "HARN-EVL-011": entry({
    severity: "error",
    message: (p: { readonly name: string; readonly found: readonly string[] }) =>
      `${p.name} names several trials: ${p.found.join(", ")}`,
    explain:
      "Parts of a trial's address may be left out only while one trial is meant. Add the task, the variant or the epoch.",
  }),
  "HARN-EVL-012": entry({
    severity: "error",
    message: (p: { readonly name: string; readonly owner: string }) =>
      `the set ${p.name} is being run by ${p.owner}`,
    explain:
      "A set has one owner at a time, so that no trial is paid for twice. Wait for it, or end it with `harn eval stop`.",
  }),
  "HARN-EVL-013": entry({
    severity: "error",
    message: (p: { readonly count: number; readonly files: readonly string[] }) =>
      `${p.count} ${p.count === 1 ? "trial is" : "trials are"} stale: ${p.files.join(", ")} changed since; --stale keep, redo or follow`,
    explain:
      "Trials of the set were made with another program, sample or variant. `keep` marks them in every report, `redo` runs them " +
      "again, `follow` goes through each with the new program and pays only from where it differs.",
  }),
  "HARN-EVL-014": entry({
    severity: "error",
    message: (p: { readonly name: string }) =>
      `${p.name} needs a container, and neither docker nor podman answers`,
    explain:
      "The trials of the task work in containers: `sandbox: {container: …}` says so, or its dataset is a folder of task folders. " +
      "`docker` or `podman` must be on PATH, and its daemon must run: `docker version` names a server then.\n" +
      "Going on without one would let the programs of trials write to this machine, so nothing of the set is run. An engine that " +
      "stops answering later is an error of the environment: such trials are tried again, and count as errored.",
  }),
  "HARN-EVL-015": entry({
    severity: "error",
    message: (p: { readonly metric: string; readonly needs: number; readonly epochs: number }) =>
      `${p.metric} needs ${p.needs} epochs, there are ${p.epochs}`,
    explain:
      "`pass@K` and `pass^K` are about K trials of the same sample. Raise `epochs`, or ask for a smaller K.",
  }),
  "HARN-EVL-016": entry({
    severity: "error",
    message: (p: { readonly name: string }) =>
      `the set ${p.name} is not planned to its end, and nothing of it was run; unless another process is at it, \`harn eval run --set ${p.name} FILE\` plans it again`,
    explain:
      "Whoever planned the set was killed, or its disk was full, before its tasks were written. It has no trials, so nothing of it is right or " +
      "wrong. Run the script again with `--set` and its name, or remove it with `harn eval delete`.",
  }),
  "HARN-EVL-017": entry({
    severity: "error",
    message: (_none: undefined) => "nothing of the set was run",
    help: () => "mend what the error before it names",
    explain:
      "The script threw, or a task or dataset of it is wrong, while the set was planned; the error before this one says what. " +
      "No trial was begun and nothing was paid for.",
  }),
  "HARN-EVL-019": entry({
    severity: "error",
    message: (p: { readonly name: string; readonly trials: number }) =>
      `${p.trials === 1 ? "1 trial" : `${p.trials} trials`} of the set ${p.name} ${p.trials === 1 ? "is" : "are"} on workers; \`harn eval resume ${p.name} --workers\` follows them, \`harn eval stop ${p.name}\` ends them there`,
    explain:
      "Whoever handed the trials out has ended, and they go on. To run them here as well would pay for them twice, so the set is not " +
      "touched before what was done has been taken into it.",
  }),
  "HARN-EVL-020": entry({
    severity: "error",
    message: (p: { readonly error: string }) => `the first 10 trials all ended with: ${p.error}`,
    explain:
      "Every trial would most likely end like this, so the set was stopped before it cost more. Errors never count as failures.",
  }),
  "HARN-EVL-021": entry({
    severity: "error",
    message: (p: { readonly name: string; readonly time: string }) =>
      `${p.name} has answered nothing for ${p.time}`,
    explain:
      "A provider answered nothing but errors and rate limits for the time of `--give-up`. The set is paused; `harn eval resume` goes on.",
  }),
  "HARN-EVL-022": entry({
    severity: "error",
    message: (p: { readonly cost: string }) => `the set has spent its ${p.cost}`,
    explain:
      "The next call could cost more than is left of the set's money. The set is paused; `harn eval resume --cost USD` goes on at that call.",
  }),
  "HARN-EVL-023": entry({
    severity: "error",
    message: (p: { readonly name: string; readonly what: string }) =>
      `what was done on workers contradicts the set ${p.name}: ${p.what}; nothing of that chunk was taken, and \`harn eval resume ${p.name}\` runs its trials again`,
    explain:
      "Trials that are done on workers come back as a file, which is taken into the set as a whole or not at all. Here it speaks of " +
      "another program, sample or trial than the set has, or of a trial that has ended otherwise: the set was changed while the trials " +
      "were away, or somebody changed the file.",
  }),
  "HARN-EVL-024": entry({
    severity: "error",
    message: (p: { readonly name: string; readonly chunk: string }) =>
      `engine and database know nothing of ${p.chunk} any more: it ended there long ago and was removed, or both were lost; \`harn eval stop ${p.name}\` takes its trials back as they are here, without what they did there`,
    explain:
      "A part of the set was handed over to workers, and what they did with it is not to be had any more. Its trials may have been run and paid " +
      "for, so nothing begins them again by itself.",
  }),
  "HARN-EVL-030": entry({
    severity: "error",
    message: () => "the program did something else on its way to the set",
    explain:
      "A trial goes through the program as the plan did, and its effects are answered from the plan's journal. Here the program " +
      "asked for another effect, for instance because its text was changed.",
  }),
  "HARN-EVL-031": entry({
    severity: "warning",
    message: (p: { readonly judge: string }) => `judge ${p.judge} grades answers of its own model`,
    explain:
      "Models prefer their own answers. Name another model for the judge: `roles: {judge: {model: …}}`.",
  }),
  "HARN-EVL-032": entry({
    severity: "error",
    message: (p: { readonly scorer: string; readonly got: string }) =>
      `scorer ${p.scorer} gave ${p.got}, expected a bool, number, text, nil or dict`,
    explain: "What a scorer gave is no score. The trial is unscored by it; it is not counted as a failure.",
  }),
  "HARN-EVL-034": entry({
    severity: "error",
    message: (p: { readonly task: string; readonly trials: number; readonly error: string }) =>
      `every scorer of ${p.task} failed on ${p.trials === 1 ? "its trial" : `each of its ${p.trials} trials`}: ${p.error}; mend them, and \`harn eval score SET --script FILE\` scores what is done`,
    explain:
      "Nothing was judged, so the set says nothing of its agent: it is not complete (exit code 5), and its gates are unclear. The trials are kept; " +
      "scoring them again asks no model of the agent.",
  }),
  "HARN-EVL-033": entry({
    severity: "error",
    message: (p: { readonly action: number; readonly sample: string; readonly error: string }) =>
      `the reference action ${p.action} of ${p.sample} fails: ${p.error}`,
    explain:
      "The actions that a sample calls right can't be carried out on its own beginning world: the task is broken, so the trial is unscored.",
  }),
};
