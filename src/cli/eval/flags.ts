/** The flags of `harn eval`, declared for commander. `harn eval TARGET` is `harn eval run TARGET`. */

import type { Command } from "commander";
import { collected } from "../repeated-flag.ts";
import type { CompareFlags } from "./compare-command.ts";
import type { ForkTrialFlags } from "./fork/fork-command.ts";
import type { LabelFlags } from "./label-command.ts";
import type { EvalListFlags } from "./list-command.ts";
import type { MinimiseFlags } from "./minimise/minimise-command.ts";
import type { NoiseFlags } from "./noise/noise-command.ts";
import type { EvalReportFlags } from "./report-command.ts";
import type { EvalRunFlags, ResumeFlags } from "./run-options.ts";
import type { ScoreFlags } from "./score-command.ts";
import type { EvalShowFlags } from "./show-command.ts";
import type { ExportFlags } from "./transfer/export-command.ts";
import type { TuneFlags } from "./tune-command.ts";

type Done = (code: number) => void;

/** Lists that are given several times, or with commas. */
const listedEval = (value: string, before: readonly string[] | undefined): string[] => [
  ...(before ?? []),
  ...value.split(",").filter((part) => part !== ""),
];

export function addEvalCommands(program: Command, script: readonly string[], done: Done): void {
  const family = program
    .command("eval")
    .description(
      "Evaluates agents: runs the tasks of a script as a set of trials, or judges run records, suites and packs.",
    );
  addRun(family, script, done);
  addStored(family, done);
  addReports(family, done);
  addNoise(family, done);
  addForks(family, done, script);
  addMinimise(family, done);
  addLabels(family, done);
}

function addRun(family: Command, script: readonly string[], done: Done): void {
  const run = family
    .command("run", { isDefault: true })
    .description(
      "Runs the tasks of scripts, every sample, variant and epoch a recorded trial; or judges what was recorded. Exit code 0: complete and no gate failed, 1: a gate failed or something does not pass, 5: not complete.",
    )
    .argument(
      "<targets...>",
      "scripts (`file.harn`, `file.harn::TASK`), folders with `*.eval.harn`; or a run record, a folder of them, a suite or pack",
    )
    .option("--set <name>", "name of the set; one that exists goes on and grows")
    .option("--task <glob>", "only the tasks whose names fit")
    .option("--sample <globs>", "only the samples whose ids fit", listedEval)
    .option("--limit <n>", "only the first N samples, or from A to B: `A-B`")
    .option("--epochs <k>", "repetitions of each sample")
    .option("--variant <key=values>", "values of a key of the matrix: `model=a,b`", collected)
    .option("--param <name=value>", "what `eval_param` gives", collected)
    .option(
      "--stale <what>",
      "finished trials whose task or row changed since: ask (default), keep, redo, follow",
    )
    .option(
      "--structural-experiment <spec>",
      "scripts without tasks: run a second time with this experiment, and compare",
    );
  trialFlags(run).action(async (targets: string[], flags: EvalRunFlags) => {
    const { runSetsCommand } = await import("./set-command.ts");
    done(await runSetsCommand(targets, script, flags));
  });
  family
    .command("check")
    .description(
      "Is the task right? Its oracle must succeed on every sample that has one, doing nothing on none; nothing live is asked. Exit code 1 when one does not hold.",
    )
    .argument("<targets...>", "scripts, or folders with `*.eval.harn`")
    .option("--task <glob>", "only the tasks whose names fit")
    .option("--sample <globs>", "only the samples whose ids fit", listedEval)
    .option("--limit <n>", "only the first N samples, or from A to B: `A-B`")
    .option("--epochs <k>", "repetitions of each sample")
    .option("--variant <key=values>", "values of a key of the matrix: `model=a,b`", collected)
    .option("--param <name=value>", "what `eval_param` gives", collected)
    .option(
      "--set <name>",
      "instead: what the program as it is now would change of this set, without any call",
    )
    .option("--json", "one JSON list")
    .action(async (targets: string[], flags: EvalRunFlags) => {
      const { checkEvalCommand } = await import("./check-command.ts");
      done(await checkEvalCommand(targets, script, flags));
    });
  setFlags(
    family
      .command("score")
      .description(
        "Scores the finished trials of a set again, as a new version; older scores stay. The agent is not asked.",
      )
      .argument("<set>", setArgument)
      .option("--script <file>", "with the scorers that this script has now")
      .option("--scorer <names>", "only these scorers", listedEval)
      .option("--draws <j>", "so many draws of each judge"),
  ).action(async (name: string, flags: ScoreFlags) => {
    const { scoreSetCommand } = await import("./score-command.ts");
    done(await scoreSetCommand(name, script, flags));
  });
  trialFlags(
    family
      .command("resume")
      .description(
        "Resumes a set: trials in progress at their effect, errored ones again, missing trials and scores are made.",
      )
      .argument("[set]", "its name; `last`, the default, is the newest")
      .option("--task <glob>", "only the open trials of tasks whose names fit; the others stay open")
      .option("--sample <globs>", "only the open trials of samples whose ids fit", listedEval),
  ).action(async (name: string | undefined, flags: ResumeFlags) => {
    const { resumeSetCommand } = await import("./set-command.ts");
    done(await resumeSetCommand(name, flags));
  });
}

/** What `run` and `resume` share: of trials that are run. */
const trialFlags = (command: Command): Command =>
  setFlags(command)
    .option("--redo <what>", "also run again: errored, failed, unscored, all")
    .option("--race <off>", "`off`: trials that a race does not need are run, too")
    .option("--no-score", "no scorers now; `harn eval resume` makes missing scores");

/** What they share with `score`. */
function setFlags(command: Command): Command {
  return formFlags(gateFlags(command))
    .option("--trials <n>", "trials at once (16)")
    .option("--processes <n>", "commands of trials at once (as many as there are processors)")
    .option(
      "--connections <provider=rule>",
      "requests at once to a provider: `openai=20`, or `openai=MIN-START-MAX`",
      collected,
    )
    .option(
      "--role <role=model>",
      "the model of a role (agent, user, judge), where nothing else names one but the task",
      collected,
    )
    .option("--cost <usd>", "what the set may cost; it pauses before it would cost more")
    .option("--tokens <n>", "tokens that it may use")
    .option("--time <duration>", "how long this process works on it: 90s, 5m, 1h")
    .option("--max-errors <n>", "errored trials that end it early: a share below 1, or a count")
    .option("--retries <n>", "retries of a trial that errored")
    .option("--give-up <duration>", "a provider that answers nothing for so long pauses it (10m)")
    .option("--grace <duration>", "how long calls in flight may take to end when it stops (30s; TERM: 10s)")
    .option("--cache [age]", "keep answers of models, and take them again while they are not older: 7d")
    .option("--on-doubt <how>", "effects under way when it was killed: ask (default), redo, skip, fail")
    .option("--detach", "goes on in the background; prints {set, pid, log}")
    .option("--plain", "lines for a log, also on a terminal")
    .option("--quiet", "nothing while it runs")
    .option("--tape <file>", "answer model calls from this tape")
    .option("--llm-mock <file>", "answer every model call from this fixture file")
    .option("--provider <name>", "model provider for calls that do not name one")
    .option("--model <id>", "model for calls that do not name one")
    .option("--base-url <url>", "server of the provider, such as a local OpenAI-compatible one")
    .option("--seed <text>", "seed of random numbers, ids and the order of samples");
}

const gateFlags = (command: Command): Command =>
  command
    .option("--baseline <set>", "the set that `not_below baseline` is about")
    .option("--gate <text>", "another gate for every task: `success >= 0.8`", collected)
    .option("--strict", "unclear gates fail")
    .option("--margin <m>", "differences within ±m count as equivalent");

const formFlags = (command: Command): Command =>
  command
    .option("--json", "one JSON object instead of the summary")
    .option("--junit <file>", "write JUnit XML: a suite for each task and variant, and the gates")
    .option("--html <file>", "write the page: one file that loads nothing")
    .option("--csv <file>", "write a row for each trial")
    .option("--transcripts <which>", "conversations in the page: failed (default), all, none")
    .option("--github", "append to $GITHUB_STEP_SUMMARY and print ::error and ::warning for gates");

const setArgument = "its name; `last` is the newest";

function addStored(family: Command, done: Done): void {
  family
    .command("list")
    .description("The sets of this project, newest first.")
    .option("--json", "one JSON object per set")
    .action(async (flags: EvalListFlags) => {
      const { listSetsCommand } = await import("./list-command.ts");
      done(listSetsCommand(flags));
    });
  gateFlags(
    family
      .command("show")
      .description("The summary of a set, or a trial with its scores and its conversation.")
      .argument("<set>", "a set, or a trial: `last:r07.2`, `SET:TASK/VARIANT/SAMPLE.EPOCH`"),
  )
    .option("--json", "as one JSON object, nothing shortened")
    .option("--full", "every text whole")
    .action(async (name: string, flags: EvalShowFlags) => {
      const { showSetCommand } = await import("./show-command.ts");
      done(showSetCommand(name, flags));
    });
  family
    .command("status")
    .description("How far a set is, also one that runs in another process.")
    .argument("[set]", `${setArgument} and the default`)
    .option("--watch", "again every second until it ends")
    .option("--json", "as one JSON object")
    .action(async (name: string | undefined, flags: { watch?: boolean; json?: boolean }) => {
      const { statusCommand } = await import("./status-command.ts");
      done(await statusCommand(name ?? "last", flags));
    });
  family
    .command("stop")
    .description("Stops a set that runs in another process, as Ctrl-C would; `harn eval resume` goes on.")
    .argument("<set>", setArgument)
    .option("--now", "do not wait for trials to come to their next effect")
    .action(async (name: string, flags: { now?: boolean }) => {
      const { stopSetCommand } = await import("./stop-command.ts");
      done(await stopSetCommand(name, flags));
    });
  family
    .command("tune")
    .description(
      "Changes a set while another process works on it: trials and connections at once, what it may cost.",
    )
    .argument("<set>", setArgument)
    .option("--trials <n>", "trials at once")
    .option("--connections <provider=rule>", "requests at once to a provider, as `run` takes it", collected)
    .option("--cost <usd>", "what the set may cost")
    .option("--tokens <n>", "tokens that it may use")
    .action(async (name: string, flags: TuneFlags) => {
      const { tuneSetCommand } = await import("./tune-command.ts");
      done(tuneSetCommand(name, flags));
    });
  family
    .command("replay")
    .description(
      "Follows a set, or one trial (SET:SAMPLE.EPOCH), from its journals, with no network, key, model or program, and compares. Exit code 0: the same receipt, 3: it came out otherwise, 4: a journal ends early.",
    )
    .argument("<set>", setArgument)
    .option("--json", "as one JSON object")
    .action(async (name: string, flags: { json?: boolean }) => {
      const { replaySetCommand } = await import("./replay-command.ts");
      done(await replaySetCommand(name, flags));
    });
  family
    .command("import")
    .description(
      "Takes a set from elsewhere: one that `harn eval export` wrote (.harneval), rows of scores (JSONL, CSV), a log of Inspect AI (.eval, .json), results of promptfoo.",
    )
    .argument(
      "<file>",
      "what another tool wrote; `{sample, epoch?, variant?, cluster?, SCORER: number}` a row",
    )
    .option("--set <name>", "what it is called here")
    .action(async (file: string, flags: { set?: string }) => {
      const { importSetCommand } = await import("./transfer/import-command.ts");
      done(importSetCommand(file, flags));
    });
  family
    .command("export")
    .description(
      "Writes a set to a file, by its ending: all of it with its journals (.harneval), rows of scores (.jsonl, .csv), or a log of Inspect AI (.eval).",
    )
    .argument("<set>", setArgument)
    .argument("<file>", "where to; of several tasks or variants each log has a file of its own")
    .option("--as <format>", "`inspect`: a file .json is a log of Inspect AI")
    .action(async (name: string, file: string, flags: ExportFlags) => {
      const { exportSetCommand } = await import("./transfer/export-command.ts");
      done(exportSetCommand(name, file, flags));
    });
  family
    .command("delete")
    .description("Removes sets with their trials, scores and plans, and everything that only they refer to.")
    .argument("<sets...>", "sets")
    .action(async (names: string[]) => {
      const { deleteSetsCommand } = await import("./delete-command.ts");
      done(await deleteSetsCommand(names));
    });
}

function addReports(family: Command, done: Done): void {
  family
    .command("compare")
    .description(
      "Compares two sets on the samples that both have, or the variants of one: differences, intervals, p.",
    )
    .argument("<a>", `a set; ${setArgument}`)
    .argument("[b]", "another set; the difference is B less A")
    .option("--metric <names>", "metrics; the first is the one that counts, the others are hints", listedEval)
    .option("--margin <m>", "differences within ±m count as equivalent")
    .option("--by <field>", "also each group of samples by this field")
    .option("--judge <name>", "a judge made with `pairwise` says which side is better, sample by sample")
    .option("--json", "one JSON list")
    .action(async (a: string, b: string | undefined, flags: CompareFlags) => {
      const { compareCommand } = await import("./compare-command.ts");
      done(await compareCommand(a, b, flags));
    });
  formFlags(
    gateFlags(
      family
        .command("report")
        .description(
          "Writes the forms of sets: the page, JUnit, CSV, JSON, Markdown for GitHub; exit codes as `run`.",
        )
        .argument("<sets...>", "sets; `last` is the newest"),
    ),
  ).action(async (names: string[], flags: EvalReportFlags) => {
    const { reportSetsCommand } = await import("./report-command.ts");
    done(reportSetsCommand(names, flags));
  });
  family
    .command("failures")
    .description("Failed trials by what they have in common, the largest group first.")
    .argument("<set>", setArgument)
    .option("--json", "one JSON list")
    .action(async (name: string, flags: { json?: boolean }) => {
      const { failuresCommand } = await import("./failures-command.ts");
      done(failuresCommand(name, flags));
    });
}

function addNoise(family: Command, done: Done): void {
  family
    .command("noise")
    .description(
      "Where the noise of a set comes from: samples, agent, user, environment or judge. Runs a part of its samples again, crossed, beside the set; prints its bound first.",
    )
    .argument("<set>", setArgument)
    .option("--task <glob>", "only the tasks whose names fit")
    .option("--metric <name>", "success, a scorer or a part of one; else the first of the task's metrics")
    .option("--samples <n>", "so many samples, chosen by the set's seed (20)")
    .option("--agents <n>", "streams of the agent (2)")
    .option("--users <n>", "streams of the user (2; 1 where nobody is simulated)")
    .option("--environments <n>", "re-runs of each cell with what agent and user drew (1)")
    .option("--judges <n>", "judgements of each trial (2; 1 where no model judges)")
    .option("--cost <usd>", "what it may cost; at the limit it pauses, and the same command goes on")
    .option("--trials <n>", "trials at once")
    .option("--quiet", "no progress")
    .option("--plain", "single lines in place of a drawing")
    .option("--json", "as one JSON object")
    .action(async (name: string, flags: NoiseFlags) => {
      const { noiseCommand } = await import("./noise/noise-command.ts");
      done(await noiseCommand(name, flags));
    });
}

function addForks(family: Command, done: Done, script: readonly string[]): void {
  family
    .command("fork")
    .description(
      "Does a trial again from a step on, live: so many continuations with a change and so many without, and whether the change does anything. They never enter the figures of the set.",
    )
    .argument("<trial>", "a trial: `last:r07.2`, `SET:TASK/VARIANT/SAMPLE.EPOCH`")
    .option(
      "--at <step>",
      "the step that is done differently; `pivot`: look for the one after which success falls most",
    )
    .option("--trials <k>", "continuations with the change, and as many without (8)")
    .option("--model <id>", "the agent's model from there on, whatever its calls name")
    .option("--provider <name>", "its provider")
    .option("--set <name=value>", "a variable of the environment, several times", collected)
    .option("--script <file>", "another program; what it asks for otherwise earlier is live from there on")
    .option("--result <json>", "the step's own result, JSON or text")
    .option("--cost <usd>", "what the continuations may cost; at the limit they wait for the same command")
    .option("--quiet", "no progress")
    .option("--plain", "single lines in place of a drawing")
    .option("--json", "as one JSON object")
    .action(async (trial: string, flags: ForkTrialFlags) => {
      const { forkTrialCommand } = await import("./fork/fork-command.ts");
      done(await forkTrialCommand(trial, script, flags));
    });
}

function addMinimise(family: Command, done: Done): void {
  family
    .command("minimise")
    .description(
      "Shortens the model request that led to a failure: sends it again with messages, tools and paragraphs of the system text left out, for as long as the failure comes back. Appends the shortest to `regressions.jsonl`.",
    )
    .argument("<trial>", "a trial: `last:r07.2`, `SET:TASK/VARIANT/SAMPLE.EPOCH`")
    .option(
      "--at <step>",
      "the model call that is shortened; the last one that calls a tool, or with --scorer the last",
    )
    .option(
      "--scorer <name>",
      "the failure is that this scorer does not pass; else that the same tools are called",
    )
    .option("--repeat <n>", "tries of each request (3)")
    .option("--need <n>", "how many of them must fail (2)")
    .option("--calls <n>", "model calls in all (200)")
    .option("--cost <usd>", "what they may cost; at the limit the same command goes on")
    .option("--quiet", "no progress")
    .option("--json", "as one JSON object")
    .action(async (trial: string, flags: MinimiseFlags) => {
      const { minimiseCommand } = await import("./minimise/minimise-command.ts");
      done(await minimiseCommand(trial, flags));
    });
}

function addLabels(family: Command, done: Done): void {
  family
    .command("label")
    .description("Writes a blind sheet of trials for a person to label, or reads one that came back.")
    .argument("<set>", setArgument)
    .requiredOption("--scorer <name>", "the judge that the labels are for")
    .option("--n <count>", "trials on the sheet (60)")
    .option("--seed <text>", "another choice of trials")
    .option("--out <file>", "write the sheet (CSV)")
    .option("--in <file>", "read a sheet whose column `label` is filled in")
    .option("--rater <name>", "with --in, who has labelled")
    .action(async (name: string, flags: LabelFlags) => {
      const { labelCommand } = await import("./label-command.ts");
      done(labelCommand(name, flags));
    });
  family
    .command("calibrate")
    .description("How far a judge agrees with people, and its score corrected by their labels.")
    .argument("<set>", setArgument)
    .requiredOption("--scorer <name>", "the judge")
    .option("--json", "as one JSON object")
    .action(async (name: string, flags: { scorer: string; json?: boolean }) => {
      const { calibrateCommand } = await import("./label-command.ts");
      done(calibrateCommand(name, flags));
    });
}
