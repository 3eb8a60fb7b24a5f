/** The shells that completions can be made for. */
export const shells = ["bash", "zsh", "fish"] as const;

export type ShellName = (typeof shells)[number];
