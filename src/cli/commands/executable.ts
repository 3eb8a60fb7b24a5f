/** The command line of an executable of `harn build`: the flags of `harn run` that make sense for a program that is in it. */
import { Command as Commander } from "commander";
import { licencesFolder } from "../../executable/index.ts";
import { bool } from "../../host/command/flags.ts";
import {
  commandLineMark,
  exitCode,
  print,
  shippedFolder,
  typedCommandName,
  version,
} from "../../host/command/index.ts";
import { ownProgram } from "../../program/index.ts";
import { type RunFlags, runFlags } from "../../run/setup/index.ts";
import { command } from "./command.ts";
import { described, endWhenUnread, helpOutput, parsedCommand } from "./tree.ts";

const { eval: _text, ...programFlags } = runFlags;

const executableRow = () =>
  command({
    name: "",
    summary: `Runs ${ownProgram()?.entry ?? "its program"}. All words that are no flags are its arguments, and all that follow \`--\`.`,
    args: [["[args...]", "arguments of the program"]],
    flags: { ...programFlags, licenses: bool("print the licences of everything that is in this file") },
  });

/** Runs the program with words that are its arguments. */
export type RunOwnProgram = (words: readonly string[], flags: RunFlags) => Promise<number>;

/** Reads what `plainArguments` does not: help, mistakes, joined flags. */
export async function executableCommand(args: readonly string[], run: RunOwnProgram): Promise<number> {
  let code: number = exitCode.ok;
  const program = described(new Commander(typedCommandName()), executableRow())
    .version(`${version} (harn), ${process.version} (Node)`, "-V, --version")
    .exitOverride()
    .configureOutput(helpOutput)
    .addHelpText(
      "after",
      `\n\`${typedCommandName()} ${commandLineMark} help\` lists the commands of harn, which are in this file too.\n`,
    )
    .action(async (words: string[], { licenses, ...flags }: RunFlags & { readonly licenses?: boolean }) => {
      code = licenses === true ? printLicences() : await run(words, flags);
    });
  await parsedCommand(program, args, `${typedCommandName()} --help`);
  return code;
}

function printLicences(): number {
  endWhenUnread();
  const folder = shippedFolder(licencesFolder);
  for (const name of folder.names()) print(`${name}\n${"=".repeat(name.length)}\n\n${folder.text(name)}\n\n`);
  return exitCode.ok;
}
