/** The command line: which commands there are. Each lives in a file of its own, loaded when it is asked for. */
import { Command, CommanderError, Option } from "commander";
import { exitCode } from "./exit-codes.ts";
import { UsageError } from "./usage-error.ts";
import { version } from "./version.ts";

/** Runs `harn ARGS` and leaves the exit code in `process.exitCode`. */
export async function main(args: readonly string[]): Promise<void> {
  const { own, script } = splitArguments(args);
  let code: number = exitCode.ok;
  const program = commands(script, (done) => {
    code = done;
  });
  try {
    await program.parseAsync(own, { from: "user" });
  } catch (error) {
    code = failed(error);
  }
  process.exitCode = code;
}

/** What stands after the first `--` belongs to the script. */
function splitArguments(args: readonly string[]): { own: readonly string[]; script: readonly string[] } {
  const at = args.indexOf("--");
  return at === -1 ? { own: args, script: [] } : { own: args.slice(0, at), script: args.slice(at + 1) };
}

function commands(script: readonly string[], done: (code: number) => void): Command {
  const program = new Command("harn")
    .description("Runs scripts that drive AI agents: recorded, replayable, bounded.")
    .version(version, "-V, --version")
    .exitOverride()
    .showHelpAfterError("(see `harn help`)")
    .helpCommand("help [command]", "Shows what a command does.");

  program
    .command("run")
    .description("Runs a script. Arguments after `--` are the script's own (`argv`).")
    .argument("[file]", "the script; `-` reads standard input")
    .option("-e, --eval <code>", "run this text instead of a file")
    .option(
      "--record <journal>",
      "write everything that comes from outside to a journal that `harn replay` re-runs",
    )
    .option("--provider <name>", "model provider for calls that do not name one")
    .option("--model <id>", "model for calls that do not name one")
    .option("--base-url <url>", "server of the provider, such as a local OpenAI-compatible one")
    .option(
      "--tape <file>",
      "answer model calls from this tape, in order, when no provider and no key is set",
    )
    .addOption(new Option("--llm-mock <file>", "answer every model call from this fixture file (JSON Lines)"))
    .addOption(new Option("--llm-mock-record <file>", "write every model answer to a fixture file"))
    .option("--seed <text>", "seed of the run's random numbers and ids")
    .option("--max-depth <calls>", "nested script calls allowed (10000)", parseCount)
    .option("--max-steps <n>", "end the run after so many calls and rounds of loops (no limit)", parseCount)
    .option("--progress", "show agents at work although standard error is no terminal")
    .option("-q, --quiet", "do not show agents at work")
    .action(async (file: string | undefined, options: RunFlags) => {
      const { runCommand } = await import("./run-command.ts");
      done(await runCommand(file, script, options));
    });

  program
    .command("replay")
    .description("Re-runs a recorded run with nothing outside touched: same output, same exit code.")
    .argument("<journal>", "a journal written by `harn run --record`")
    .option("--script <file>", "replay against this script instead of the recorded text")
    .action(async (journal: string, options: { script?: string }) => {
      const { replayCommand } = await import("./replay-command.ts");
      done(await replayCommand(journal, options));
    });

  program
    .command("check")
    .description("Reports syntax and name errors without running anything.")
    .argument("<files...>", "scripts or folders")
    .option("--json", "one JSON object per finding")
    .action(async (files: string[], options: { json?: boolean }) => {
      const { checkCommand } = await import("./check-command.ts");
      done(await checkCommand(files, options));
    });

  program
    .command("explain")
    .description("Explains a diagnostic code such as HARN-PAR-001.")
    .argument("[code]", "the code; without one, all codes are listed")
    .action(async (code: string | undefined) => {
      const { explainCommand } = await import("./explain-command.ts");
      done(explainCommand(code));
    });

  return program;
}

/** The flags of `harn run`, as commander names them. */
export interface RunFlags {
  readonly eval?: string;
  readonly record?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly tape?: string;
  readonly llmMock?: string;
  readonly llmMockRecord?: string;
  readonly seed?: string;
  readonly maxDepth?: number;
  readonly maxSteps?: number;
  readonly progress?: boolean;
  readonly quiet?: boolean;
}

function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1)
    throw new UsageError(`expected a whole number above 0, got ${text}`);
  return count;
}

/** Prints what went wrong in one line and gives the exit code. Anything else than usage errors is our own fault. */
function failed(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.ok : exitCode.usage;
  if (error instanceof UsageError) {
    process.stderr.write(`harn: ${error.message}\n`);
    return error.exitCode;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`harn: internal error, please report it:\n${text}\n`);
  return exitCode.failed;
}
