/** The flags of `harn completions`, declared for commander. */
import { Argument, type Command } from "commander";
import { reportData } from "../../host/command/index.ts";
import { type Shell, shells } from "./shells.ts";

/** Adds `harn completions`. The whole tree of commands is read when it runs, so what is added later is in it. */
export function addCompletionsCommand(program: Command, done: (code: number) => void): void {
  program
    .command("completions")
    .description(
      'Prints completions for a shell: `eval "$(harn completions bash)"` in ~/.bashrc; zsh alike; `harn completions fish | source`.',
    )
    .addArgument(new Argument("<shell>", "bash, zsh or fish").choices([...shells]))
    .action(async (shell: Shell) => {
      const { completionsText } = await import("./completions-text.ts");
      reportData(completionsText(shell, program));
      done(0);
    });
}
