/** A command, declared once: the tree of commander, its help, completions, `docs/reference/cli.md` and the table of the README are made of such rows. */
import type { Command as Commander } from "commander";
import type { Flags, FlagsOf } from "../../host/command/flags.ts";

interface ArgumentMore {
  /** The values that there are. */
  readonly choices?: readonly string[];
  /** What it is when it is left out. */
  readonly preset?: string;
}

/** `<file>`, `[file]`, `<files...>`, and what it is. */
export type CommandArgument = readonly [usage: string, doc: string, more?: ArgumentMore];

type ArgumentValue<U> = U extends `${string}...${string}`
  ? string[]
  : U extends `[${string}`
    ? string | undefined
    : string;

type ArgumentsOf<A extends readonly CommandArgument[]> = {
  -readonly [I in keyof A]: A[I][2] extends { readonly preset: string } ? string : ArgumentValue<A[I][0]>;
};

/** What a command is run with besides its arguments and flags. */
export interface CommandContext {
  /** What stands after `--`. */
  readonly script: readonly string[];
  /** The tree of all commands. */
  readonly program: Commander;
  /** Runs another command. */
  readonly runCommands: (args: readonly string[], script: readonly string[]) => Promise<number>;
}

interface CommandHead {
  /** With the names of the commands above it: `eval run`. */
  readonly name: string;
  readonly summary: string;
  readonly hidden?: true;
  /** What its family does when it is named alone. */
  readonly isDefault?: true;
  /** What follows the name of a command below it is that command's. */
  readonly positional?: true;
  /** Command lines that do something: all of them are held against the table. */
  readonly examples?: readonly string[];
  /** Rows of the table in README.md: the command line, and what it does. Every command that stands below `harn` has one. */
  readonly readme?: readonly (readonly [line: string, does: string])[];
}

/** A row of the table. A command without `run` has others below it. */
export interface Command extends CommandHead {
  readonly args: readonly CommandArgument[];
  readonly flags: Flags;
  readonly run?: (args: never, flags: never, given: CommandContext) => Promise<number> | number;
}

export const command = <
  const A extends readonly CommandArgument[] = [],
  F extends Flags = Record<never, never>,
>(
  row: CommandHead & {
    readonly args?: A;
    readonly flags?: F;
    readonly run?: (
      args: ArgumentsOf<A>,
      flags: FlagsOf<F>,
      given: CommandContext,
    ) => Promise<number> | number;
  },
): Command => ({ args: [], flags: {}, ...row });
