/** `harn view`, declared for commander. */
import type { Command } from "commander";
import type { ViewFlags } from "./view-command.ts";

export function addViewCommand(program: Command, done: (code: number) => void): void {
  program
    .command("view")
    .description("Shows a recorded run in a browser: turns, calls, sub-agents, decisions, cost.")
    .argument(
      "[run]",
      "a run (`last`, and without one: the newest), or a file from `harn run --record` or `harn runs export`",
    )
    .option("--html <file>", "write one HTML file that needs no server, instead")
    .option("--json", "print its events, one a line, instead")
    .option("--open", "open the page")
    .action(async (run: string | undefined, flags: ViewFlags) => {
      const { viewCommand } = await import("./view-command.ts");
      done(await viewCommand(run, flags));
    });
}
