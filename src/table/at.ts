/** Where a dict or a value stands: who was called with it, and its path among the options of the call. */
export interface At {
  readonly caller: string;
  readonly path: string;
  /** Codes of what is refused there: values, and names that nothing has. */
  readonly codes?: { readonly value: string; readonly name: string } | undefined;
}

export const at = (caller: string, path = ""): At => ({ caller, path });

/** The place of a key, or of an element (`[2]`), in what stands at a place. */
export const inside = ({ caller, path, codes }: At, key: string): At => ({
  caller,
  path: path === "" ? key : key.startsWith("[") ? `${path}${key}` : `${path}.${key}`,
  codes,
});

/** `agent_loop: compaction.soft`, as messages begin. */
export const subject = ({ caller, path }: At): string => (path === "" ? caller : `${caller}: ${path}`);
