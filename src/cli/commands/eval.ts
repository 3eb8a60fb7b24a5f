/** The commands of `harn eval`. `harn eval TARGET` is `harn eval run TARGET`. */
import { bool, int, names, needed, pairs, text } from "../../host/command/flags.ts";
import {
  compareFlags,
  evalReportFlags,
  evalRunFlags,
  evalShowFlags,
  exportFlags,
  forkTrialFlags,
  labelFlags,
  minimiseFlags,
  noiseFlags,
  resumeFlags,
  scoreFlags,
  statusFlags,
  tuneFlags,
} from "../flags/eval.ts";
import { type Command, command } from "./command.ts";

export const evaluating: readonly Command[] = [
  command({
    name: "eval",
    summary:
      "Evaluates agents: runs the tasks of a script as a set of trials, or judges run records, suites and packs.",
    readme: [
      [
        "`harn eval run TARGET`, `resume`, `check`, `compare`, `report` …",
        "runs the tasks of a script as a set of recorded trials, with intervals, gates and a page; judges run records, suites and packs; `docs/evals.md`, `docs/workflows.md`",
      ],
    ],
  }),
  command({
    name: "eval run",
    summary:
      "Runs the tasks of scripts, every sample, variant and epoch a recorded trial; or judges what was recorded. Exit code 0: complete and no gate failed, 1: a gate failed or something does not pass, 5: not complete.",
    isDefault: true,
    args: [
      [
        "<targets...>",
        "scripts (`file.harn`, `file.harn::TASK`), folders with `*.eval.harn`; or a run record, a folder of them, a suite or pack",
      ],
    ],
    flags: evalRunFlags,
    examples: ["harn eval run pack.eval.harn --epochs 3 --cost 5"],
    run: async ([targets], flags, { script }) =>
      (await import("../eval/set-command.ts")).runSetsCommand(targets, script, flags),
  }),
  command({
    name: "eval check",
    summary:
      "Is the task right? Its oracle must succeed on every sample that has one, doing nothing on none; nothing live is asked. Exit code 1 when one does not hold.",
    args: [["<targets...>", "scripts, or folders with `*.eval.harn`"]],
    flags: {
      task: text("glob", "only the tasks whose names fit"),
      sample: names("globs", "only the samples whose ids fit"),
      limit: text("n", "only the first N samples, or from A to B: `A-B`"),
      epochs: int("k", "repetitions of each sample"),
      variant: pairs("key=values", "values of a key of the matrix: `model=a,b`"),
      param: pairs("name=value", "what `eval_param` gives"),
      set: text("name", "instead: what the program as it is now would change of this set, without any call"),
      json: bool("one JSON list"),
    },
    examples: ["harn eval check pack.eval.harn"],
    run: async ([targets], flags, { script }) =>
      (await import("../eval/check-command.ts")).checkEvalCommand(targets, script, flags),
  }),
  command({
    name: "eval score",
    summary:
      "Scores the finished trials of a set again, as a new version; older scores stay. The agent is not asked.",
    args: [["<set>", "its name; `last` is the newest"]],
    flags: scoreFlags,
    examples: ["harn eval score last --scorer exact"],
    run: async ([set], flags, { script }) =>
      (await import("../eval/set-command.ts")).scoreSetCommand(set, script, flags),
  }),
  command({
    name: "eval resume",
    summary:
      "Resumes a set: trials in progress at their effect, errored ones again, missing trials and scores are made.",
    args: [["[set]", "its name; `last`, the default, is the newest"]],
    flags: resumeFlags,
    examples: ["harn eval resume last --redo errored"],
    run: async ([set], flags) => (await import("../eval/set-command.ts")).resumeSetCommand(set, flags),
  }),
  command({
    name: "eval list",
    summary: "The sets of this project, newest first.",
    flags: {
      json: bool("one JSON object per set"),
    },
    examples: ["harn eval list"],
    run: async (_args, flags) => (await import("../eval/sets-command.ts")).listSetsCommand(flags),
  }),
  command({
    name: "eval show",
    summary: "The summary of a set, or a trial with its scores and its conversation.",
    args: [["<set>", "a set, or a trial: `last:r07.2`, `SET:TASK/VARIANT/SAMPLE.EPOCH`"]],
    flags: evalShowFlags,
    examples: ["harn eval show last:r07.2"],
    run: async ([set], flags) => (await import("../eval/show-command.ts")).showSetCommand(set, flags),
  }),
  command({
    name: "eval status",
    summary: "How far a set is, also one that runs in another process.",
    args: [["[set]", "its name; `last` is the newest and the default"]],
    flags: statusFlags,
    examples: ["harn eval status --watch"],
    run: async ([set = "last"], flags) =>
      (await import("../eval/status-command.ts")).statusCommand(set, flags),
  }),
  command({
    name: "eval stop",
    summary: "Stops a set that runs in another process, as Ctrl-C would; `harn eval resume` goes on.",
    args: [["<set>", "its name; `last` is the newest"]],
    flags: {
      now: bool("do not wait for trials to come to their next effect"),
    },
    examples: ["harn eval stop last"],
    run: async ([set], flags) => (await import("../eval/sets-command.ts")).stopSetCommand(set, flags),
  }),
  command({
    name: "eval tune",
    summary:
      "Changes a set while another process works on it: trials and connections at once, what it may cost.",
    args: [["<set>", "its name; `last` is the newest"]],
    flags: tuneFlags,
    examples: ["harn eval tune last --trials 4"],
    run: async ([set], flags) => (await import("../eval/sets-command.ts")).tuneSetCommand(set, flags),
  }),
  command({
    name: "eval replay",
    summary:
      "Follows a set, or one trial (SET:SAMPLE.EPOCH), from its journals, with no network, key, model or program, and compares. Exit code 0: the same receipt, 3: it came out otherwise, 4: a journal ends early.",
    args: [["<set>", "its name; `last` is the newest"]],
    flags: {
      json: bool("as one JSON object"),
    },
    examples: ["harn eval replay last"],
    run: async ([set], flags) => (await import("../eval/replay-command.ts")).replaySetCommand(set, flags),
  }),
  command({
    name: "eval import",
    summary:
      "Takes a set from elsewhere: one that `harn eval export` wrote (.harneval), rows of scores (JSONL, CSV), a log of Inspect AI (.eval, .json), results of promptfoo.",
    args: [
      ["<file>", "what another tool wrote; `{sample, epoch?, variant?, cluster?, SCORER: number}` a row"],
    ],
    flags: {
      set: text("name", "what it is called here"),
    },
    examples: ["harn eval import scores.csv --set before"],
    run: async ([file], flags) =>
      (await import("../eval/transfer/import-command.ts")).importSetCommand(file, flags),
  }),
  command({
    name: "eval export",
    summary:
      "Writes a set to a file, by its ending: all of it with its journals (.harneval), rows of scores (.jsonl, .csv), or a log of Inspect AI (.eval).",
    args: [
      ["<set>", "its name; `last` is the newest"],
      ["<file>", "where to; of several tasks or variants each log has a file of its own"],
    ],
    flags: exportFlags,
    examples: ["harn eval export last set.harneval"],
    run: async ([set, file], flags) =>
      (await import("../eval/transfer/export-command.ts")).exportSetCommand(set, file, flags),
  }),
  command({
    name: "eval delete",
    summary: "Removes sets with their trials, scores and plans, and everything that only they refer to.",
    args: [["<sets...>", "sets"]],
    examples: ["harn eval delete before"],
    run: async ([sets]) => (await import("../eval/sets-command.ts")).deleteSetsCommand(sets),
  }),
  command({
    name: "eval compare",
    summary:
      "Compares two sets on the samples that both have, or the variants of one: differences, intervals, p.",
    args: [
      ["<a>", "a set; its name; `last` is the newest"],
      ["[b]", "another set; the difference is B less A"],
    ],
    flags: compareFlags,
    examples: ["harn eval compare before last --margin 0.02"],
    run: async ([a, b], flags) => (await import("../eval/show-command.ts")).compareCommand(a, b, flags),
  }),
  command({
    name: "eval report",
    summary:
      "Writes the forms of sets: the page, JUnit, CSV, JSON, Markdown for GitHub; exit codes as `run`.",
    args: [["<sets...>", "sets; `last` is the newest"]],
    flags: evalReportFlags,
    examples: ["harn eval report last --html report.html"],
    run: async ([sets], flags) => (await import("../eval/report-command.ts")).reportSetsCommand(sets, flags),
  }),
  command({
    name: "eval failures",
    summary: "Failed trials by what they have in common, the largest group first.",
    args: [["<set>", "its name; `last` is the newest"]],
    flags: {
      json: bool("one JSON list"),
    },
    examples: ["harn eval failures last"],
    run: async ([set], flags) => (await import("../eval/show-command.ts")).failuresCommand(set, flags),
  }),
  command({
    name: "eval noise",
    summary:
      "Where the noise of a set comes from: samples, agent, user, environment or judge. Runs a part of its samples again, crossed, beside the set; prints its bound first.",
    args: [["<set>", "its name; `last` is the newest"]],
    flags: noiseFlags,
    examples: ["harn eval noise last --samples 10 --cost 2"],
    run: async ([set], flags) => (await import("../eval/noise/noise-command.ts")).noiseCommand(set, flags),
  }),
  command({
    name: "eval fork",
    summary:
      "Does a trial again from a step on, live: so many continuations with a change and so many without, and whether the change does anything. They never enter the figures of the set.",
    args: [["<trial>", "a trial: `last:r07.2`, `SET:TASK/VARIANT/SAMPLE.EPOCH`"]],
    flags: forkTrialFlags,
    examples: ["harn eval fork last:r07.2 --at 3 --model gpt-4o"],
    run: async ([trial], flags, { script }) =>
      (await import("../eval/fork/fork-command.ts")).forkTrialCommand(trial, script, flags),
  }),
  command({
    name: "eval minimise",
    summary:
      "Shortens the model request that led to a failure: sends it again with messages, tools and paragraphs of the system text left out, for as long as the failure comes back. Appends the shortest to `regressions.jsonl`.",
    args: [["<trial>", "a trial: `last:r07.2`, `SET:TASK/VARIANT/SAMPLE.EPOCH`"]],
    flags: minimiseFlags,
    examples: ["harn eval minimise last:r07.2 --cost 1"],
    run: async ([trial], flags) =>
      (await import("../eval/minimise/minimise-command.ts")).minimiseCommand(trial, flags),
  }),
  command({
    name: "eval label",
    summary: "Writes a blind sheet of trials for a person to label, or reads one that came back.",
    args: [["<set>", "its name; `last` is the newest"]],
    flags: labelFlags,
    examples: ["harn eval label last --scorer judge --out labels.csv"],
    run: async ([set], flags) => (await import("../eval/label-command.ts")).labelCommand(set, flags),
  }),
  command({
    name: "eval calibrate",
    summary: "How far a judge agrees with people, and its score corrected by their labels.",
    args: [["<set>", "its name; `last` is the newest"]],
    flags: {
      scorer: needed(text("name", "the judge")),
      json: bool("as one JSON object"),
    },
    examples: ["harn eval calibrate last --scorer judge"],
    run: async ([set], flags) => (await import("../eval/label-command.ts")).calibrateCommand(set, flags),
  }),
];
