/** What may follow where on a command line, read off commander's tree of commands. Every shell's script is made from it. */
import type { Command, Option } from "commander";

/** A word that may stand at a place. */
export interface Word {
  readonly name: string;
  readonly doc: string;
}

/** After `harn runs show`, say. */
export interface CompletionPlace {
  /** The commands up to here, each after a slash: `/runs/show`; "" after `harn` alone. */
  readonly path: string;
  readonly commands: readonly Word[];
  /** Values of its arguments, where there are only some. */
  readonly values: readonly string[];
  readonly flags: readonly FlagWords[];
}

/** All places, from the outside in. Hidden commands and flags are left out. */
export function completionPlaces(program: Command, path = ""): CompletionPlace[] {
  const help = program.createHelp();
  const below = help.visibleCommands(program);
  const word = (command: Command): Word => ({
    name: command.name(),
    doc: firstSentenceOf(command.description()),
  });
  const place: CompletionPlace = {
    path,
    commands: below.map(word),
    values: program.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    flags: help.visibleOptions(program).map(flagWords),
  };
  const inner = below.flatMap((command) => {
    const at = `${path}/${command.name()}`;
    // Commander's own: its argument is any of the others.
    if (!program.commands.includes(command))
      return [{ path: at, commands: program.commands.map(word), values: [], flags: [] }];
    return completionPlaces(command, at);
  });
  return [place, ...inner];
}

const flagWords = (option: Option) => ({
  /** `-e`, `--eval` */
  names: [option.short, option.long].filter((name) => typeof name === "string"),
  doc: firstSentenceOf(option.description),
  /** A value follows. */
  value: option.required || option.optional,
  /** The values that there are; empty when it may be anything, such as a file. */
  choices: option.argChoices ?? [],
});

export type FlagWords = Readonly<ReturnType<typeof flagWords>>;

/** A line of a menu. */
const firstSentenceOf = (text: string): string => text.split(/(?<=\.) |[;\n]/, 1)[0]!.replace(/\.$/, "");

/** Every `PLACE FLAG` after which a value follows, as the scripts look for it. */
export const flagsWithValue = (places: readonly CompletionPlace[]): string[] =>
  places.flatMap(({ path, flags }) =>
    flags.filter(({ value }) => value).flatMap(({ names }) => names.map((name) => `${path} ${name}`)),
  );
