/** The flags of `harn trust`, declared for commander. */
import type { Command } from "commander";
import type { TrustFlags } from "./trust-command.ts";

export function addTrustCommand(program: Command, done: (code: number) => void): void {
  program
    .command("trust")
    .description(
      "Agrees to the addresses that a project's harn.toml gives to providers: keys go there from now on.",
    )
    .argument("[folder]", "of the project", ".")
    .option("--list", "what was agreed to, by project")
    .option("--remove", "take it back")
    .action(async (folder: string, flags: TrustFlags) => {
      const { trustCommand } = await import("./trust-command.ts");
      done(await trustCommand(folder, flags));
    });
}
