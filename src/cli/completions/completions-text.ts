/** `harn completions SHELL`: a script for the shell, made from the tree of commands. */
import type { Command } from "commander";
import { exitCode, reportData } from "../../host/command/index.ts";
import { bashText } from "./bash.ts";
import { fishText } from "./fish.ts";
import { type CompletionPlace, completionPlaces } from "./places.ts";
import type { ShellName } from "./shells.ts";
import { zshText } from "./zsh.ts";

const makers: Readonly<Record<ShellName, (places: readonly CompletionPlace[]) => string>> = {
  bash: bashText,
  zsh: zshText,
  fish: fishText,
};

export function completionsCommand(shell: ShellName, program: Command): number {
  reportData(completionsText(shell, program));
  return exitCode.ok;
}

export const completionsText = (shell: ShellName, program: Command): string =>
  makers[shell](completionPlaces(program));
