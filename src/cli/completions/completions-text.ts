/** `harn completions SHELL`: a script for the shell, made from the tree of commands. */
import type { Command } from "commander";
import { exitCode, reportData } from "../../host/command/index.ts";
import { bashText } from "./bash.ts";
import { fishText } from "./fish.ts";
import { completionPlaces, type Place } from "./places.ts";
import type { Shell } from "./shells.ts";
import { zshText } from "./zsh.ts";

const makers: Readonly<Record<Shell, (places: readonly Place[]) => string>> = {
  bash: bashText,
  zsh: zshText,
  fish: fishText,
};

export function completionsCommand(shell: Shell, program: Command): number {
  reportData(completionsText(shell, program));
  return exitCode.ok;
}

export const completionsText = (shell: Shell, program: Command): string =>
  makers[shell](completionPlaces(program));
