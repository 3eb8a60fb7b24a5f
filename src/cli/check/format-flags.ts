/** The flags of `harn fmt` and `harn lint`, declared for commander. */
import type { Command } from "commander";
import type { FmtFlags } from "./fmt-command.ts";
import type { LintFlags } from "./lint-command.ts";

export function addFormatCommands(program: Command, done: (code: number) => void): void {
  program
    .command("fmt")
    .description("Formats scripts in place; `-` formats standard input to standard output.")
    .argument("<files...>", "scripts or folders, or `-`")
    .option("--check", "change nothing: name the files that would change, show how, and exit with 1")
    .action(async (files: string[], options: FmtFlags) => {
      const { fmtCommand } = await import("./fmt-command.ts");
      done(await fmtCommand(files, options));
    });

  program
    .command("lint")
    .description("Reports what is legal but questionable; exits with 1 when a finding is an error.")
    .argument("[files...]", "scripts or folders")
    .option("--fix", "repair what can be repaired without changing what the program does")
    .option("--json", "one JSON object per finding")
    .option("--rules", "list the rules")
    .action(async (files: string[], options: LintFlags) => {
      const { lintCommand } = await import("./lint-command.ts");
      done(await lintCommand(files, options));
    });
}
