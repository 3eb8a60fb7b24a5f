/**
 * Node's SQLite, loaded. Node 22 says with the first load that it is experimental; 24 says nothing, and what it can do is the same. Of
 * all warnings just this one is held back, for as long as the load takes: nothing else runs meanwhile, and nothing stays changed.
 */
export type SqliteModule = typeof import("node:sqlite");

export const sqliteModule = (): SqliteModule =>
  withoutExperimentalWarning("SQLite", () => process.getBuiltinModule("node:sqlite"));

/** `subject`: what the warning begins with. `load` must not wait. */
export function withoutExperimentalWarning<T>(subject: string, load: () => T): T {
  const { emitWarning } = process;
  const isMeant = (warning: unknown, kind: unknown): boolean =>
    kind === "ExperimentalWarning" && String(warning).startsWith(`${subject} `);
  process.emitWarning = (...said: readonly unknown[]): void => {
    if (!isMeant(said[0], said[1])) Reflect.apply(emitWarning, process, said);
  };
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}
