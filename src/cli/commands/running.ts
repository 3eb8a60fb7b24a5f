/** Commands that begin a project, run scripts and look at one run. */
import { oneOf, pairs, path, text } from "../../host/command/flags.ts";
import { doubts, runFlags } from "../../run/setup/index.ts";
import {
  buildFlags,
  initFlags,
  replayFlags,
  tortureFlags,
  traceFlags,
  viewFlags,
  whyFlags,
} from "../flags/running.ts";
import { runHereOrHandOver } from "../run/run-command.ts";
import { type Command, command } from "./command.ts";

export const running: readonly Command[] = [
  command({
    name: "init",
    summary: "Makes a project that runs at once, without a key: a program, its tape, a test, harn.toml.",
    args: [["[folder]", "where; the current folder when none is named"]],
    flags: initFlags,
    readme: [
      [
        "`harn init [FOLDER]`",
        "makes a project that runs at once, without a key; `--template agent`, `eval`, `daemon`, `library` or `typescript`",
      ],
    ],
    examples: ["harn init --template daemon my-daemon"],
    run: async ([folder], flags) => (await import("../init/init-command.ts")).initCommand(folder, flags),
  }),
  command({
    name: "run",
    summary:
      "Runs a script. Arguments after `--` are its own: the parameters of its entry pipeline in order, all of them in `argv`.",
    args: [["[file]", "the script; `-` reads standard input"]],
    flags: runFlags,
    readme: [
      ["`harn run FILE [-- ARGS]`", "runs a script; `-` reads standard input, `-e CODE` runs a text"],
      [
        "`harn run --resume last`",
        "resumes a run that was interrupted or killed, or that waits for a person (`harn hitl`)",
      ],
      [
        "`harn run FILE --workers`",
        "lets a worker on another machine do it (`harn worker`); `docs/cluster.md`",
      ],
    ],
    examples: [
      "harn run main.harn -- report.md",
      "harn run --resume last",
      "harn run main.harn --workers -- report.md",
    ],
    run: ([file], flags, { script }) => runHereOrHandOver(file, script, flags),
  }),
  command({
    name: "build",
    summary:
      "Makes one executable of a script, its modules and the runtime: it runs where neither harn nor Node is, with the flags of `harn run`.",
    args: [["<file>", "the script"]],
    flags: buildFlags,
    readme: [
      [
        "`harn build FILE -o NAME`",
        "makes one executable of a script and the runtime, which needs neither harn nor Node; `docs/build.md`",
      ],
    ],
    examples: ["harn build main.harn -o greet"],
    run: async ([file], flags) => (await import("../build/build-command.ts")).buildCommand(file, flags),
  }),
  command({
    name: "replay",
    summary: "Re-runs a recorded run with nothing outside touched: same output, same exit code.",
    args: [
      [
        "<run>",
        "a run (`last`: the newest), the address of a trial (SET:SAMPLE.EPOCH), or a file from `harn run --record` or `harn runs export`",
      ],
    ],
    flags: replayFlags,
    readme: [
      [
        "`harn replay last`",
        "re-runs a recorded run with nothing outside touched: same output, same exit code",
      ],
    ],
    examples: ["harn replay last"],
    run: async ([run], flags) => (await import("../run/replay-command.ts")).replayCommand(run, flags),
  }),
  command({
    name: "trace",
    summary: "Shows what the agents of a recorded run did: turns, tool calls, sub-agents, decisions, cost.",
    args: [
      [
        "<run>",
        "a run (`last`: the newest), the address of a trial (SET:SAMPLE.EPOCH), or a file from `harn run --record` or `harn runs export`",
      ],
    ],
    flags: traceFlags,
    readme: [
      [
        "`harn trace RUN`",
        "what the agents of a run did, as a tree: turns, tool calls, sub-agents, decisions, cost; `--full` shortens nothing; `docs/watching.md`",
      ],
    ],
    examples: ["harn trace last --full"],
    run: async ([run], flags) => (await import("../run/replay-command.ts")).traceCommand(run, flags),
  }),
  command({
    name: "view",
    summary: "Shows a recorded run in a browser: turns, calls, sub-agents, decisions, cost.",
    args: [
      [
        "[run]",
        "a run (`last`, and without one: the newest), or a file from `harn run --record` or `harn runs export`",
      ],
    ],
    flags: viewFlags,
    readme: [
      [
        "`harn view [RUN]`",
        "the same in a browser; `--html FILE` writes one file that needs no server; `docs/viewer.md`",
      ],
    ],
    examples: ["harn view last --html run.html"],
    run: async ([run], flags) => (await import("../view/view-command.ts")).viewCommand(run, flags),
  }),
  command({
    name: "why",
    summary: "Answers why about a recorded run's agents: how a loop ended, what a request was made of.",
    args: [
      [
        "<run>",
        "a run (`last`: the newest), the address of a trial (SET:SAMPLE.EPOCH), or a file from `harn run --record` or `harn runs export`",
      ],
    ],
    flags: whyFlags,
    readme: [
      [
        "`harn why RUN`",
        "why a loop ended or went on (`--turn`), where a message or text comes from and when it was seen, why a tool, an instruction or a message was missing; `docs/control-plane.md`",
      ],
    ],
    examples: ["harn why last --turn 3"],
    run: async ([run], flags) => (await import("../why/why-command.ts")).whyCommand(run, flags),
  }),
  command({
    name: "torture",
    summary: "Runs a script with a fault at each effect (killed, full disk, broken models) and resumes it.",
    args: [["<file>", "the script; its files are read from here and written in memory"]],
    flags: tortureFlags,
    readme: [
      ["`harn torture FILE`", "runs a script with a fault at each effect and resumes it: nothing may differ"],
    ],
    examples: ["harn torture --kills 10 main.harn"],
    run: async ([file], flags, { script }) =>
      (await import("../torture/torture-command.ts")).tortureCommand(file, script, flags),
  }),
  command({
    name: "fork",
    summary: "Begins a new run that goes like another one up to a step, and then lives.",
    args: [
      [
        "<run>",
        "a run; `last` is the newest; or the address of a trial, SET:SAMPLE.EPOCH (as `harn eval fork --trials 1`)",
      ],
    ],
    flags: {
      at: text("n", "the first step that is done anew (`harn runs show` numbers them)"),
      provider: text("name", "model provider from there on"),
      model: text("id", "model from there on, for calls that do not name one"),
      set: pairs("name=value", "set a variable of the environment from there on"),
      result: text("json", "what the step gives, instead of doing it"),
      script: path("file", "another version of the script"),
      onDoubt: oneOf("how", "what was under way at that step: ask, redo, skip, fail", doubts),
    },
    readme: [
      ["`harn fork last --at N`", "a new run that repeats another one up to a step and is live from there"],
    ],
    examples: ["harn fork last --at 4 --model gpt-4o"],
    run: async ([run], flags) => {
      const { forkCommand, trialMeant } = await import("../../run/index.ts");
      const trial = trialMeant(run);
      if (trial === undefined) return await forkCommand(run, flags);
      const { forkTrialCommand } = await import("../eval/fork/fork-command.ts");
      return await forkTrialCommand(trial, [], { ...flags, trials: 1 });
    },
  }),
];
