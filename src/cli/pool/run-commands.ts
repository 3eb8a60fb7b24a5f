/** The commands about recorded runs, as commander knows them: `runs`, `fork`, `hitl`. */

import type { Command } from "commander";
import type { ForkFlags } from "../../run/index.ts";
import { onDoubtFlag } from "../../run/setup/index.ts";
import { addEvalCommands } from "../eval/flags.ts";
import type { HitlFlags } from "../hitl/command.ts";
import { collected } from "../repeated-flag.ts";
import type { InspectFlags } from "../runs/inspect-command.ts";
import type { FileFlags, PruneFlags, RunsFlags, ShowFlags } from "../runs/runs-command.ts";
import type { StopFlags } from "../runs/stop-runs.ts";
import type { TortureFlags } from "../torture/torture-command.ts";

type Done = (code: number) => void;

export function addRunCommands(program: Command, script: readonly string[], done: Done): void {
  program
    .command("torture")
    .description(
      "Runs a script with a fault at each effect (killed, full disk, broken models) and resumes it.",
    )
    .argument("<file>", "the script; its files are read from here and written in memory")
    .option("--tape <file>", "answer model calls from this tape")
    .option("--llm-mock <file>", "answer every model call from this fixture file")
    .option("--provider <name>", "model provider for calls that do not name one")
    .option("--model <id>", "model for calls that do not name one")
    .option("--effects <n>", "faults at the first n effects (100)")
    .option("--kills <n>", "also kill -9 so many real runs, in a copy of the script's folder (0)")
    .option("--phases", "also kill -9 a real run in each phase of an agent's turn that the script reaches")
    .option("--json", "one JSON object")
    .action(async (file: string, flags: TortureFlags) => {
      const { tortureCommand } = await import("../torture/torture-command.ts");
      done(await tortureCommand(file, script, flags));
    });
  addEvalCommands(program, script, done);
  addRuns(program.command("runs").description("The runs that were recorded in this project."), done);
  addHitl(program.command("hitl").description("Questions that runs wait with for a person."), done);
  addFork(program, done);
}

function addFork(program: Command, done: Done): void {
  program
    .command("fork")
    .description("Begins a new run that goes like another one up to a step, and then lives.")
    .argument("<run>", `${runArgument} (as \`harn eval fork --trials 1\`)`)
    .option("--at <n>", "the first step that is done anew (`harn runs show` numbers them)")
    .option("--provider <name>", "model provider from there on")
    .option("--model <id>", "model from there on, for calls that do not name one")
    .option("--set <name=value>", "set a variable of the environment from there on", collected)
    .option("--result <json>", "what the step gives, instead of doing it")
    .option("--script <file>", "another version of the script")
    .option("--on-doubt <how>", "what was under way at that step: ask, redo, skip, fail", onDoubtFlag)
    .action(async (run: string, flags: ForkFlags) => {
      const { trialMeant } = await import("../../run/index.ts");
      const trial = trialMeant(run);
      if (trial === undefined) {
        const { forkCommand } = await import("../../run/index.ts");
        done(await forkCommand(run, flags));
        return;
      }
      const { forkTrialCommand } = await import("../eval/fork/fork-command.ts");
      done(await forkTrialCommand(trial, [], { ...flags, trials: "1" }));
    });
}

/** What names a run where a trial of an evaluation may be meant, too. */
const runArgument = "a run; `last` is the newest; or the address of a trial, SET:SAMPLE.EPOCH";

function addRuns(runs: Command, done: Done): void {
  const load = async (): Promise<typeof import("../runs/runs-command.ts")> =>
    await import("../runs/runs-command.ts");
  runs
    .command("list", { isDefault: true })
    .description("Newest first.")
    .option("--limit <n>", "at most so many")
    .option("--trials", "trials of evaluations and their scorings too")
    .option("--json", "one JSON object per run")
    .action(async (flags: RunsFlags) => done((await load()).listRuns(flags)));
  runs
    .command("show")
    .description("What a run did, step by step.")
    .argument("<run>", runArgument)
    .option("--json", "as one JSON object, nothing shortened")
    .option("--all", "readings of the clock too")
    .option("--call <n>", "only the n-th model call, whole: request, answer, tokens, cost, its tool calls")
    .action(async (run: string, flags: ShowFlags) => done(await (await load()).showRun(run, flags)));
  runs
    .command("inspect")
    .description("What the run record of a workflow says: its stages, tools, checks and cost.")
    .argument("<record>", "a run record, or the id of one in `.harn-runs`")
    .option("--compare <base>", "another record: how this one differs from it")
    .option("--json", "as one JSON object")
    .action(async (record: string, flags: InspectFlags) => {
      const { inspectCommand } = await import("../runs/inspect-command.ts");
      done(inspectCommand(record, flags));
    });
  runs
    .command("stop")
    .description("Stops runs that work in other processes, as Ctrl-C would; `harn run --resume` goes on.")
    .argument("<runs...>", "runs")
    .option("--now", "do not wait for handlers and `finally` blocks of the program")
    .action(async (names: string[], flags: StopFlags) => {
      const { stopRuns } = await import("../runs/stop-runs.ts");
      done(await stopRuns(names, flags));
    });
  runs
    .command("delete")
    .description("Removes runs and everything that only they refer to.")
    .argument("<runs...>", "runs")
    .action(async (names: string[]) => done((await load()).deleteRuns(names)));
  runs
    .command("prune")
    .description("Removes old runs that have ended; those at work, interrupted or waiting stay.")
    .option("--keep <n>", "keep the newest n")
    .option("--older-than <days>", "only those that began longer ago")
    .option("--json", "the names of what was removed")
    .action(async (flags: PruneFlags) => done((await load()).pruneRuns(flags)));
  runs
    .command("export")
    .description("Writes a run to a file that can be replayed and resumed elsewhere.")
    .argument("<run>", "a run; `last` is the newest")
    .argument("[file]", "default: RUN.json")
    .option("--root <name=folder>", "a folder outside the project that has a name of its own", collected)
    .action(async (run: string, file: string | undefined, flags: FileFlags) =>
      done((await load()).exportCommand(run, file, flags)),
    );
  runs
    .command("import")
    .description("Takes a run from a file into this project.")
    .argument("<file>", "what `harn runs export` or `harn run --record` wrote")
    .option("--root <name=folder>", "where a named folder lies here", collected)
    .action(async (file: string, flags: FileFlags) => done((await load()).importCommand(file, flags)));
  runs
    .command("repair")
    .description("Replaces a damaged store by everything of it that can still be read.")
    .option("--json", "as one JSON object")
    .action(async (flags: RunsFlags) => done((await load()).repairRuns(flags)));
}

function addHitl(hitl: Command, done: Done): void {
  const load = async (): Promise<typeof import("../hitl/command.ts")> => await import("../hitl/command.ts");
  hitl
    .command("list", { isDefault: true })
    .description("What is asked, oldest first.")
    .option("--json", "one JSON object per question")
    .action(async (flags: HitlFlags) => done((await load()).listQuestions(flags)));
  hitl
    .command("answer")
    .description("Answers a question.")
    .argument("<run>", "the run that asks")
    .argument("<answer>", "JSON, or text; `harn hitl list` shows the answers there are")
    .option("--question <place>", "which question, when it asks several")
    .option("--reviewer <name>", "who says so (default: you)")
    .option("--reason <text>", "why")
    .action(async (run: string, answer: string, flags: HitlFlags) =>
      done((await load()).answerPending(run, answer, flags)),
    );
  for (const [name, approved, what] of [
    ["approve", true, "Approves what a run asks for."],
    ["deny", false, "Refuses what a run asks for."],
  ] as const) {
    hitl
      .command(name)
      .description(what)
      .argument("<run>", "the run that asks")
      .option("--question <place>", "which question, when it asks several")
      .option("--reviewer <name>", "who says so (default: you)")
      .option("--reason <text>", "why")
      .action(async (run: string, flags: HitlFlags) =>
        done((await load()).decideQuestion(run, approved, flags)),
      );
  }
}
