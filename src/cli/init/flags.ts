/** The flags of `harn init`, declared for commander. */
import { type Command, Option } from "commander";
import type { InitFlags } from "./init-command.ts";
import { templateNames } from "./template-names.ts";

/** Adds `harn init`. */
export function addInitCommand(program: Command, done: (code: number) => void): void {
  program
    .command("init")
    .description("Makes a project that runs at once, without a key: a program, its tape, a test, harn.toml.")
    .argument("[folder]", "where; the current folder when none is named")
    .addOption(
      new Option("--template <name>", "what it begins with")
        .choices([...templateNames])
        .default(templateNames[0]),
    )
    .action(async (folder: string | undefined, flags: InitFlags) => {
      const { initCommand } = await import("./init-command.ts");
      done(initCommand(folder, flags));
    });
}
