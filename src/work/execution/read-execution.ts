/** The option `execution` of workers and sub-agents (agents.md §17.3): where they work. Read and checked, nothing is made. */
import type { FieldTable } from "../../table/index.ts";
import { Dict, display, type ScriptError, thrown, typeOf, type Value } from "../../values/index.ts";
import { executionFields, worktreeFields } from "../fields/shared-fields.ts";

export interface WorktreeOption {
  readonly repo: string;
  readonly path: string | null;
  readonly branch: string | null;
  readonly baseRef: string;
  readonly cleanup: "preserve" | "remove";
}

export interface ExecutionOption {
  readonly cwd: string | null;
  readonly env: Readonly<Record<string, string>>;
  readonly worktree: WorktreeOption | null;
}

/** `null` when nothing is said. */
export function readExecution(value: Value, caller: string): ExecutionOption | null {
  if (value === null) return null;
  const read = new Reader(value, `${caller}: execution`, executionFields);
  const worktree = read.input.get("worktree") ?? null;
  return { cwd: read.text("cwd"), env: read.texts("env"), worktree: readWorktree(worktree, caller) };
}

function readWorktree(value: Value, caller: string): WorktreeOption | null {
  if (value === null) return null;
  const read = new Reader(value, `${caller}: execution.worktree`, worktreeFields);
  const cleanup = read.text("cleanup") ?? "preserve";
  if (cleanup !== "preserve" && cleanup !== "remove")
    throw read.wrong("cleanup", `must be preserve or remove; got \`${cleanup}\``);
  return {
    repo: read.text("repo") ?? ".",
    path: read.text("path"),
    branch: read.name("branch"),
    baseRef: read.name("base_ref") ?? "HEAD",
    cleanup,
  };
}

class Reader {
  readonly input: Dict;
  private readonly prefix: string;

  constructor(value: Value, prefix: string, table: FieldTable) {
    if (!(value instanceof Dict)) throw thrown(`${prefix} must be a dict; got ${typeOf(value)}`);
    this.input = value;
    this.prefix = prefix;
    for (const name of value.keys())
      if (table.get(name) === undefined)
        throw this.wrong(name, `unknown field; expected ${[...table.names()].join(", ")}`);
  }

  wrong(name: string, what: string): ScriptError {
    return thrown(`${this.prefix}.${name}: ${what}`);
  }

  text(name: string): string | null {
    const value = this.input.get(name) ?? null;
    if (value === null || (typeof value === "string" && value !== "")) return value;
    throw this.wrong(name, `must be a string that is not empty; got ${display(value) || '""'}`);
  }

  /** What `git` would take for an option is none. */
  name(name: string): string | null {
    const value = this.text(name);
    if (value?.startsWith("-") === true)
      throw this.wrong(name, `must not begin with \`-\`; got \`${value}\``);
    return value;
  }

  texts(name: string): Record<string, string> {
    const value = this.input.get(name) ?? null;
    if (value === null) return {};
    if (!(value instanceof Dict)) throw this.wrong(name, `must be a dict; got ${typeOf(value)}`);
    return Object.fromEntries([...value.entries()].map(([key, item]) => [key, display(item)]));
  }
}
