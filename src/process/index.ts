/**
 * The process as the command line sees it: its folder, variables and streams, and what makes its requests. It is Node's own; tests and
 * programs run beside each other in theirs, each with a process of its own making (`made-process.ts`).
 */
import type { AsyncLocalStorage } from "node:async_hooks";
import { readFileSync, writeSync, writevSync } from "node:fs";
import { resolve } from "node:path";
import { type CallerWords, typedWords } from "./caller-words.ts";

export type { CallerWords } from "./caller-words.ts";
export { type SqliteModule, sqliteModule } from "./sqlite-module.ts";

export type OwnProcess = Pick<
  NodeJS.Process,
  "env" | "cwd" | "chdir" | "exit" | "stdin" | "stdout" | "stderr"
> & {
  /** All of standard input, for one whose streams are no descriptors. */
  readonly input?: string;
  /** What makes the requests over HTTP of everything that runs in it; the global one unless given. */
  readonly fetch?: typeof fetch | undefined;
  /** Of whoever started what runs in it; those of a command line unless given. */
  readonly words?: CallerWords | undefined;
};

let storage: AsyncLocalStorage<OwnProcess> | undefined;

/** The process that a command runs in. */
export const ownProcess = (): OwnProcess => storage?.getStore() ?? process;

/** How whoever started the command writes what could be done. */
export const callerWords = (): CallerWords => ownProcess().words ?? typedWords;

/** Its environment variables. */
export const ownVariables = (): Map<string, string> =>
  new Map(Object.entries(ownProcess().env) as [string, string][]);

/** Runs a command, and everything that it begins, in a process that its caller has made. */
export function inProcess<T>(own: OwnProcess, work: () => T): T {
  storage ??= new (process.getBuiltinModule("node:async_hooks").AsyncLocalStorage)();
  return storage.run(own, work);
}

/** A value that belongs to the process: made when it is first asked for. */
export function perProcess<T>(make: () => T): () => T {
  const values = new WeakMap<OwnProcess, T>();
  return () => {
    const own = ownProcess();
    if (!values.has(own)) values.set(own, make());
    return values.get(own) as T;
  };
}

/** A path as the command line has it, for functions of Node, which know one working directory. */
export function ownPath(path: string): string {
  const own = storage?.getStore();
  return own === undefined ? path : resolve(own.cwd(), path);
}

/** Whether the streams are the descriptors 0, 1 and 2. */
export const hasDescriptors = (): boolean => storage?.getStore() === undefined;

/** Writes to standard output or error at once; gives how much was taken. */
export function writeNow(descriptor: 1 | 2, bytes: Uint8Array): number {
  const own = storage?.getStore();
  // Not `writeSync` for output: it calls something after it has written, where an interrupt would lose how much.
  if (own === undefined) return descriptor === 1 ? writevSync(1, [bytes]) : writeSync(2, bytes);
  own[descriptor === 1 ? "stdout" : "stderr"].write(bytes);
  return bytes.length;
}

/** All of standard input. */
export const readInput = (): string => storage?.getStore()?.input ?? readFileSync(0, "utf8");
