/**
 * What whoever started the work can write to have something else: flags and commands on a command line, options and functions in a
 * program. Whoever says what could be done asks (`callerWords`) how it is written. Only of what scripts and models never see, or see as
 * it was recorded: a run that is played again by somebody else must say the same.
 */

export interface CallerWords {
  /** How a flag (`--model`) is written, or the option that stands for it; `value`: what stands for its value, where it has one. */
  flag(name: string, value?: string): string;
  /** The same with this very value. */
  giving(flag: string, value: string): string;
  /** Whether they have one like it. */
  has(flag: string): boolean;
  /** What does the same as `harn WORDS`. */
  command(words: string): string;
  /** By what a variable of the environment was set. */
  variable(name: string): string;
  /** By what another folder for the store is named. */
  storeFolder(): string;
  /** Why nobody can be asked. */
  nobody(): string;
  /** By what a key can be given that these variables hold. */
  keys(variables: readonly string[]): string;
}

/** On a command line. */
export const typedWords: CallerWords = {
  flag: (name, value) => (value === undefined ? name : `${name} ${value}`),
  giving: (flag, value) => `${flag} ${value}`,
  has: () => true,
  command: (words) => `harn ${words}`,
  variable: (name) => name,
  storeFolder: () => "HARN_STATE_DIR",
  nobody: () =>
    "standard input is no terminal, and a run that is not recorded cannot wait for an answer from elsewhere",
  keys: (variables) => variables.join(" or "),
};
