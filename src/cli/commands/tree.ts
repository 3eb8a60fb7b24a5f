/** The table of commands as commander knows it. Loaded for everything but a plain `harn run FILE`: see `run/setup/run-flags.ts`. */
import { Argument, Command as Commander, CommanderError, Option } from "commander";
import { type Code, nearest } from "../../diagnostics/index.ts";
import { type Flag, flagName, flagValue } from "../../host/command/flags.ts";
import {
  exitCode,
  lostOutput,
  print,
  reportError,
  reportFailure,
  typedCommand,
  UsageError,
  version,
} from "../../host/command/index.ts";
import { ownProcess } from "../../process/index.ts";
import { checking } from "./checking.ts";
import { clusters } from "./cluster.ts";
import type { Command, CommandContext } from "./command.ts";
import { evaluating } from "./eval.ts";
import { papers } from "./papers.ts";
import { running } from "./running.ts";
import { runs } from "./runs.ts";
import { serving } from "./serving.ts";
import { trusting } from "./trusting.ts";

/** All commands, in the order in which help lists them. */
export const table: readonly Command[] = [
  ...running,
  ...runs,
  ...checking,
  ...evaluating,
  ...serving,
  ...clusters,
  ...papers,
  ...trusting,
];

/** Runs `harn ARGS` and gives the exit code; `script` is what stands after `--`. */
export async function runCommands(args: readonly string[], script: readonly string[]): Promise<number> {
  if (args[0] !== "run") endWhenUnread();
  let code: number = exitCode.ok;
  const program = commands(script, (done) => {
    code = done;
  });
  await parsedCommand(program, args, typedCommand("help"));
  return code;
}

/** Reads the arguments and does what they ask; `help` is the command line that says what there is. */
export async function parsedCommand(
  program: Commander,
  args: readonly string[],
  help: string,
): Promise<void> {
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw usageError(error, help);
  }
}

/** Where help goes. Its reader may be gone, whatever command it is of. */
export const helpOutput = {
  writeOut: (text: string): void => {
    endWhenUnread();
    print(text);
    const { errored } = ownProcess().stdout;
    // `harn run` ends its process before it would hear of it.
    if (errored !== null) endQuietly(errored);
  },
  writeErr: reportError,
  outputError: (): void => {},
};

/** What commander says of a command line. */
function usageError({ code, message }: CommanderError, help: string): UsageError {
  // It has shown the help of a family that was named without a command.
  const said = code === "commander.help" ? "a command is missing" : message.replace(/^error: /u, "");
  const advice = [...said.split("\n"), `(see \`${help}\`)`].join("\n  ");
  return new UsageError(advice, usageCodes[code] ?? "HARN-CLI-002");
}

const usageCodes: Readonly<Record<string, Code>> = {
  "commander.unknownCommand": "HARN-CLI-001",
  "commander.unknownOption": "HARN-CLI-001",
  "commander.excessArguments": "HARN-CLI-001",
  "commander.invalidArgument": "HARN-CLI-003",
};

/** The tree of commands; `done` gets the exit code of the one that ran. */
export function commands(script: readonly string[], done: (code: number) => void): Commander {
  const program = new Commander(typedCommand("").trim())
    .description("Runs scripts that drive AI agents: recorded, replayable, bounded.")
    .version(version, "-V, --version")
    .exitOverride()
    .configureOutput(helpOutput)
    .helpCommand("help [command]", "Shows what a command does.");
  addCommands(program, table, { script, program, runCommands }, done);
  return program;
}

/** Adds rows below a command of commander. */
export function addCommands(
  program: Commander,
  rows: readonly Command[],
  given: CommandContext,
  done: (code: number) => void,
): void {
  const tree = new Map<string, Commander>([["", program]]);
  for (const row of rows) {
    const at = row.name.lastIndexOf(" ");
    const above = tree.get(row.name.slice(0, Math.max(at, 0)));
    if (above === undefined) throw new Error(`the command \`${row.name}\` stands before the one above it`);
    const made = described(
      above.command(row.name.slice(at + 1), {
        hidden: row.hidden === true,
        isDefault: row.isDefault === true,
      }),
      row,
    );
    tree.set(row.name, made);
    const { run } = row;
    if (run === undefined) continue;
    made.action(async (...all: unknown[]) => {
      const values = all.slice(0, row.args.length);
      done(await run(values as never, made.opts() as never, given));
    });
  }
}

/** A command of commander with everything that its row says. */
export function described(made: Commander, row: Command): Commander {
  made.description(row.summary);
  if (row.positional === true) made.enablePositionalOptions();
  for (const [usage, doc, { choices, preset } = {}] of row.args) {
    const argument = new Argument(usage, doc);
    if (choices !== undefined) argument.choices([...choices]);
    if (preset !== undefined) argument.default(preset);
    made.addArgument(argument);
  }
  for (const [key, flag] of Object.entries(row.flags))
    for (const option of optionsOf(key, flag)) made.addOption(option);
  refuseFlagsAsValues(made);
  const { examples = [] } = row;
  if (examples.length > 0)
    made.addHelpText("after", `\nExamples:\n${examples.map((line) => `  ${line}\n`).join("")}`);
  return made;
}

/** `--NAME`, and `--no-NAME` where it can be turned off. */
function optionsOf(key: string, flag: Flag): Option[] {
  const name = flagName(key);
  const { value, short, shortOnly, off, bare, choices, needed, preset } = flag;
  const names = [...(short === undefined ? [] : [short]), ...(shortOnly === true ? [] : [name])].join(", ");
  const shown = bare === true ? ` [${value}]` : value === undefined ? "" : ` <${value}>`;
  const turnedOff = off === undefined ? [] : [new Option(`--no-${name.slice(2)}`, off)];
  if (off !== undefined && value === undefined) return turnedOff;
  const option = new Option(`${names}${shown}`, flag.doc);
  if (value !== undefined)
    option.argParser((text: string, before: unknown) =>
      flagValue(
        flag,
        shortOnly === true ? (short as string) : name,
        text,
        before === preset ? undefined : before,
      ),
    );
  // Read by the flag's own reader, so that every wrong value is told in the same words; completions know them by this.
  if (choices !== undefined) option.argChoices = [...choices];
  if (preset !== undefined) option.default(preset);
  option.makeOptionMandatory(needed);
  return [option, ...turnedOff];
}

/** A flag where a value belongs is a forgotten value: `--llm-mock --port 80` would read a file called `--port`. */
function refuseFlagsAsValues(command: Commander): void {
  const flags = command.options
    .flatMap(({ short, long }) => [short, long])
    .filter((name) => name !== undefined);
  for (const option of command.options) {
    if (!option.required) continue;
    const { parseArg } = option;
    option.argParser((value: string, before: unknown) => {
      if (value.startsWith("-")) {
        if (flags.includes(value) || (value.startsWith("--") && nearest(value, flags) !== undefined))
          command.error(`option '${option.flags}' needs a value, and the flag ${value} follows it`);
      }
      return parseArg === undefined ? value : parseArg(value, before as never);
    });
  }
}

/**
 * Ends the process when standard output cannot be written: quietly when its reader went away (`harn test | head`), else with the
 * reason. Several commands in one process (tests do that) are one listener. Programs of `harn run` have a console of their own.
 */
export function endWhenUnread(): void {
  if (!ownProcess().stdout.listeners("error").includes(endQuietly))
    ownProcess().stdout.on("error", endQuietly);
}

function endQuietly(fault: NodeJS.ErrnoException): void {
  if (fault.code === "EPIPE") process.exit(exitCode.readerGone);
  process.exit(reportFailure(lostOutput(fault)));
}
