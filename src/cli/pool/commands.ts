/** The commands as commander knows them. Loaded for everything but a plain `harn run FILE`: see `run-flags.ts`. */
import { Command, CommanderError } from "commander";
import { nearest } from "../../diagnostics/index.ts";
import { exitCode, print, reportError, version } from "../../host/command/index.ts";
import { flagUsage, type ModelFlags, type RunFlags, runFlags } from "../../run/setup/index.ts";
import { runScriptCommand } from "../../run/start.ts";
import { addBenchCommand } from "../bench/flags.ts";
import type { DocFlags } from "../check/doc-command.ts";
import { addFormatCommands } from "../check/format-flags.ts";
import { addCompletionsCommand } from "../completions/flags.ts";
import { addDaemonCommands } from "../daemon/flags.ts";
import { addInitCommand } from "../init/flags.ts";
import type { ServeFlags } from "../mcp/mcp-serve-command.ts";
import { addPaperCommands } from "../paper/flags.ts";
import { endWhenUnread } from "../run/unread-output.ts";
import { continued, withModelFlags, withWorkFlags } from "../serve/flags.ts";
import { addServeCommands } from "../serve/serve-flags.ts";
import { addSessionCommands } from "../session/flags.ts";
import { addSkillCommands } from "../skill/flags.ts";
import { addTestCommands } from "../test/test-flags.ts";
import type { TraceFlags } from "../trace/trace-command.ts";
import { addTrustCommand } from "../trust/flags.ts";
import { addViewCommand } from "../view/flags.ts";
import { addWhyCommand } from "../why/flags.ts";
import { addRunCommands } from "./run-commands.ts";

/** What `replay`, `trace` and `why` take. */
const replayable =
  "a run (`last`: the newest), the address of a trial (SET:SAMPLE.EPOCH), or a file from `harn run --record` or `harn runs export`";

/** Runs `harn ARGS` and gives the exit code; `script` is what stands after `--`. */
export async function runCommands(args: readonly string[], script: readonly string[]): Promise<number> {
  if (args[0] !== "run") endWhenUnread();
  let code: number = exitCode.ok;
  const program = commands(script, (done) => {
    code = done;
  });
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    // Commander has said what is wrong.
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? exitCode.ok : exitCode.usage;
  }
  return code;
}

/** The tree of commands; `done` gets the exit code of the one that ran. */
export function commands(script: readonly string[], done: (code: number) => void): Command {
  const program = new Command("harn")
    .description("Runs scripts that drive AI agents: recorded, replayable, bounded.")
    .version(version, "-V, --version")
    .exitOverride()
    .configureOutput({ writeOut: print, writeErr: reportError })
    .showHelpAfterError("(see `harn help`)")
    .helpCommand("help [command]", "Shows what a command does.");

  addInitCommand(program, done);

  describeRun(program.command("run")).action(async (file: string | undefined, options: RunFlags) => {
    done(await runScriptCommand(file, script, options));
  });

  program
    .command("replay")
    .description("Re-runs a recorded run with nothing outside touched: same output, same exit code.")
    .argument("<run>", replayable)
    .option("--script <file>", "replay against this script instead of the recorded text")
    .action(async (journal: string, options: { script?: string }) => {
      const { replayCommand } = await import("../run/replay-command.ts");
      done(await replayCommand(journal, options));
    });

  program
    .command("trace")
    .description(
      "Shows what the agents of a recorded run did: turns, tool calls, sub-agents, decisions, cost.",
    )
    .argument("<run>", replayable)
    .option("--json", "the tree as JSON")
    .option("--markdown", "as a document")
    .option("--full", "every text, argument and result of a tool whole")
    .option("--script <file>", "look at it with this script instead of the recorded text")
    .action(async (run: string, options: TraceFlags) => {
      const { traceCommand } = await import("../trace/trace-command.ts");
      done(await traceCommand(run, options));
    });

  addPaperCommands(program, done);
  addViewCommand(program, done);
  addWhyCommand(program, replayable, done);
  addRunCommands(program, script, done);
  addDaemonCommands(program, script, done);
  // What runs turns of daemons and conversations in processes of their own.
  program.command("pool-worker", { hidden: true }).action(async () => {
    const { poolWorkerCommand } = await import("./pool-worker.ts");
    done(await poolWorkerCommand(runCommands));
  });

  program
    .command("check")
    .description("Reports syntax, name and type errors without running anything.")
    .argument("<files...>", "scripts or folders")
    .option("--json", "one JSON object per finding")
    .option(
      "--capabilities",
      "list what each script needs: fs.read, fs.write, net, process, env, model, people",
    )
    .option(
      "--strict-types",
      "also check arguments of builtins, values that may be nil, unvalidated answers, variables at the top of a file",
    )
    .action(
      async (files: string[], options: { json?: boolean; strictTypes?: boolean; capabilities?: boolean }) => {
        const { checkCommand } = await import("../check/check-command.ts");
        done(await checkCommand(files, options));
      },
    );

  program
    .command("explain")
    .description("Explains a diagnostic code such as HARN-PAR-001.")
    .argument("[code]", "the code; without one, all codes are listed")
    .action(async (code: string | undefined) => {
      const { explainCommand } = await import("../check/explain-command.ts");
      done(explainCommand(code));
    });

  addFormatCommands(program, done);
  addTestCommands(program, done);
  addBenchCommand(program, script, done);

  addSkillCommands(program, done);
  addTrustCommand(program, done);
  addSessionCommands(program, script, done);
  addServeCommands(program, done);

  withModelFlags(
    program.command("repl").description("Evaluates what is typed, line by line; :help shows its commands."),
  ).action(async (flags: ModelFlags) => {
    const { replCommand } = await import("../repl/repl-command.ts");
    done(await replCommand(flags));
  });

  const acp = program
    .command("acp")
    .description("Serves a script as an agent to an editor, over stdio, in the Agent Client Protocol.")
    .argument(
      "<file>",
      "the script; arguments after `--` are its own, after the prompt and the session's id",
    );
  withModelFlags(acp).action(async (file: string, flags: ModelFlags) => {
    const { acpCommand } = await import("../acp/acp-command.ts");
    done(await acpCommand(file, script, flags));
  });

  const mcpServe = program
    .command("mcp-serve")
    .description(
      "Serves the tools, resources and prompts that a script registers to an MCP client, over stdio or HTTP.",
    )
    .argument("<file>", "the script; arguments after `--` are its own")
    .option("--card <file>", "a server card (JSON) that clients are told")
    .option("--http <address>", "serve over HTTP at [HOST:]PORT, on this machine unless a host is named");
  withWorkFlags(mcpServe, "the script").action(async (file: string, flags: ServeFlags) => {
    const { mcpServeCommand } = await import("../mcp/mcp-serve-command.ts");
    done(await mcpServeCommand(file, script, flags));
  });

  program
    .command("doc")
    .description("Shows what a builtin, a word of the language, an option, an area or a module is for.")
    .argument(
      "[name]",
      "such as `len`, `match`, `agent_loop.budget`, `strings`, `std/hitl`; `std` lists the modules",
    )
    .option("--search <words>", "what speaks of these words, the best first")
    .option("--all", "the whole reference page, in Markdown")
    .action(async (name: string | undefined, options: DocFlags) => {
      const { docCommand } = await import("../check/doc-command.ts");
      done(await docCommand(name, options));
    });

  addCompletionsCommand(program, done);

  refuseFlagsAsValues(program);
  return program;
}

/** A flag where a value belongs is a forgotten value: `--llm-mock --port 80` would read a file called `--port`. */
function refuseFlagsAsValues(command: Command): void {
  const flags = command.options
    .flatMap(({ short, long }) => [short, long])
    .filter((name) => name !== undefined);
  for (const option of command.options) {
    if (!option.required) continue;
    command.on(`option:${option.name()}`, (value: unknown) => {
      if (typeof value !== "string" || !value.startsWith("-")) return;
      if (flags.includes(value) || (value.startsWith("--") && nearest(value, flags) !== undefined))
        command.error(`error: option '${option.flags}' needs a value, and the flag ${value} follows it`);
    });
  }
  for (const below of command.commands) refuseFlagsAsValues(below);
}

/** `harn run` as the table of its flags has it. */
export function describeRun(run: Command): Command {
  run
    .description(
      "Runs a script. Arguments after `--` are its own: the parameters of its entry pipeline in order, all of them in `argv`.",
    )
    .argument("[file]", "the script; `-` reads standard input");
  for (const flag of runFlags) {
    if (flag.list === true) run.option(flagUsage(flag), flag.doc, continued);
    else if (flag.parse === undefined) run.option(flagUsage(flag), flag.doc);
    else run.option(flagUsage(flag), flag.doc, flag.parse);
  }
  return run;
}
