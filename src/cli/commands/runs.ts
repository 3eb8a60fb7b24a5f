/** Commands about recorded runs and the questions that they wait with. */
import { bool, pairs } from "../../host/command/flags.ts";
import {
  answerFlags,
  fileFlags,
  inspectFlags,
  pruneFlags,
  runsFlags,
  showFlags,
  stopFlags,
} from "../flags/runs.ts";
import { type Command, command } from "./command.ts";

export const runs: readonly Command[] = [
  command({
    name: "runs",
    summary: "The runs that were recorded in this project.",
    readme: [
      [
        "`harn runs`, `harn runs show last`",
        "what was recorded: every run with effects is; `harn runs show last --call 2` shows one model call whole; `harn runs stop RUN` stops one that works elsewhere",
      ],
    ],
  }),
  command({
    name: "runs list",
    summary: "Newest first.",
    isDefault: true,
    flags: runsFlags,
    examples: ["harn runs list --limit 10"],
    run: async (_args, flags) => (await import("../runs/runs-command.ts")).listRuns(flags),
  }),
  command({
    name: "runs show",
    summary: "What a run did, step by step.",
    args: [["<run>", "a run; `last` is the newest; or the address of a trial, SET:SAMPLE.EPOCH"]],
    flags: showFlags,
    examples: ["harn runs show last --call 2"],
    run: async ([run], flags) => (await import("../runs/runs-command.ts")).showRun(run, flags),
  }),
  command({
    name: "runs inspect",
    summary: "What the run record of a workflow says: its stages, tools, checks and cost.",
    args: [["<record>", "a run record, or the id of one in `.harn-runs`"]],
    flags: inspectFlags,
    examples: ["harn runs inspect run.json --compare before.json"],
    run: async ([record], flags) =>
      (await import("../runs/inspect-command.ts")).inspectCommand(record, flags),
  }),
  command({
    name: "runs stop",
    summary: "Stops runs that work in other processes, as Ctrl-C would; `harn run --resume` goes on.",
    args: [["<runs...>", "runs"]],
    flags: stopFlags,
    examples: ["harn runs stop last"],
    run: async ([runs], flags) => (await import("../runs/stop-runs.ts")).stopRuns(runs, flags),
  }),
  command({
    name: "runs delete",
    summary: "Removes runs and everything that only they refer to.",
    args: [["<runs...>", "runs"]],
    examples: ["harn runs delete last"],
    run: async ([runs]) => (await import("../runs/runs-command.ts")).deleteRuns(runs),
  }),
  command({
    name: "runs prune",
    summary: "Removes old runs that have ended; those at work, interrupted or waiting stay.",
    flags: pruneFlags,
    examples: ["harn runs prune --keep 100 --older-than 30"],
    run: async (_args, flags) => (await import("../runs/runs-command.ts")).pruneRuns(flags),
  }),
  command({
    name: "runs export",
    summary: "Writes a run to a file that can be replayed and resumed elsewhere.",
    args: [
      ["<run>", "a run; `last` is the newest"],
      ["[file]", "default: RUN.json"],
    ],
    flags: fileFlags,
    examples: ["harn runs export last run.json"],
    run: async ([run, file], flags) =>
      (await import("../runs/runs-command.ts")).exportCommand(run, file, flags),
  }),
  command({
    name: "runs import",
    summary: "Takes a run from a file into this project.",
    args: [["<file>", "what `harn runs export` or `harn run --record` wrote"]],
    flags: {
      root: pairs("name=folder", "where a named folder lies here"),
    },
    examples: ["harn runs import run.json"],
    run: async ([file], flags) => (await import("../runs/runs-command.ts")).importCommand(file, flags),
  }),
  command({
    name: "runs repair",
    summary: "Replaces a damaged store by everything of it that can still be read.",
    flags: {
      json: bool("as one JSON object"),
    },
    examples: ["harn runs repair"],
    run: async (_args, flags) => (await import("../runs/runs-command.ts")).repairRuns(flags),
  }),
  command({
    name: "hitl",
    summary: "Questions that runs wait with for a person.",
    readme: [
      [
        "`harn hitl`",
        "the questions that runs wait with for a person, and their answers; `docs/people-and-events.md`",
      ],
    ],
  }),
  command({
    name: "hitl list",
    summary: "What is asked, oldest first.",
    isDefault: true,
    flags: {
      json: bool("one JSON object per question"),
    },
    examples: ["harn hitl list"],
    run: async (_args, flags) => (await import("../hitl/command.ts")).listQuestions(flags),
  }),
  command({
    name: "hitl answer",
    summary: "Answers a question.",
    args: [
      ["<run>", "the run that asks"],
      ["<answer>", "JSON, or text; `harn hitl list` shows the answers there are"],
    ],
    flags: answerFlags,
    examples: ["harn hitl answer last yes"],
    run: async ([run, answer], flags) =>
      (await import("../hitl/command.ts")).answerPending(run, answer, flags),
  }),
  command({
    name: "hitl approve",
    summary: "Approves what a run asks for.",
    args: [["<run>", "the run that asks"]],
    flags: answerFlags,
    examples: ['harn hitl approve last --reason "read it"'],
    run: async ([run], flags) => (await import("../hitl/command.ts")).decideQuestion(run, true, flags),
  }),
  command({
    name: "hitl deny",
    summary: "Refuses what a run asks for.",
    args: [["<run>", "the run that asks"]],
    flags: answerFlags,
    examples: ['harn hitl deny last --reason "too much"'],
    run: async ([run], flags) => (await import("../hitl/command.ts")).decideQuestion(run, false, flags),
  }),
];
