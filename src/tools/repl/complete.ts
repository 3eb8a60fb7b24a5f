/**
 * What may follow at the cursor: names in scope, keywords, members after a dot, files after `import`, commands. And what is said of
 * a name (`:doc NAME`): a function or type of the session, a builtin, a keyword's absence said clearly.
 */

import { nearest } from "../../diagnostics/index.ts";
import { methodsOf } from "../../interp/index.ts";
import type { BuiltinTable } from "../../table/index.ts";
import { Dict, getProperty, List, StructValue, typeOf, type Value } from "../../values/index.ts";
import { builtinText } from "../doc/reference.ts";
import type { Session } from "./session.ts";

export interface CompletionPorts {
  readonly builtins: Iterable<string>;
  readonly keywords: Iterable<string>;
  readonly globals: Iterable<string>;
  readonly commands: readonly string[];
  /** Paths that begin with this text. */
  paths(prefix: string): readonly string[];
}

/** Candidates, and the part of the line that they replace. */
export type ReplCompletion = readonly [readonly string[], string];

export function complete(line: string, session: Session, ports: CompletionPorts): ReplCompletion {
  const command = /^\s*:(\w*)$/.exec(line);
  if (command !== null) return matching(ports.commands, `:${command[1]}`);
  const path =
    /(?:^|\s)import\s+(?:\{[^}]*\}\s*from\s+)?"([^"]*)$/.exec(line) ?? /^\s*:load\s+(\S*)$/.exec(line);
  if (path !== null) return [ports.paths(path[1]!), path[1]!];
  if (insideString(line)) return [[], ""];
  const member = /(?:^|[^\w.\])}"])?((?:[A-Za-z_]\w*(?:\??\.[A-Za-z_]\w*)*)|"[^"]*"|\])\??\.(\w*)$/.exec(
    line,
  );
  if (member !== null) return matching(memberCompletions(member[1]!, session), member[2]!);
  const word = /[A-Za-z_]\w*$/.exec(line)?.[0] ?? "";
  if (word === "" && line.trim() !== "") return [[], ""];
  return matching(names(session, ports), word);
}

function matching(candidates: Iterable<string>, prefix: string): ReplCompletion {
  const found = new Set<string>();
  for (const candidate of candidates) if (candidate.startsWith(prefix)) found.add(candidate);
  return [[...found].sort(), prefix];
}

function names(session: Session, ports: CompletionPorts): string[] {
  const declared = session
    .declarations()
    .flatMap((item) => (item.kind === "ImplDecl" ? [] : [item.name.text]));
  return [...session.variables.keys(), ...declared, ...ports.globals, ...ports.keywords, ...ports.builtins];
}

/** An odd number of quotes before the cursor; `\"` does not count. */
function insideString(line: string): boolean {
  return (line.replace(/\\./g, "").match(/"/g)?.length ?? 0) % 2 === 1;
}

function memberCompletions(receiver: string, session: Session): string[] {
  if (receiver.startsWith('"')) return [...methodsOf("").keys()];
  if (receiver === "]") return [...methodsOf(new List([])).keys()];
  const [first = "", ...rest] = receiver.replaceAll("?", "").split(".");
  const declared = session.declaration(first);
  if (declared?.kind === "EnumDecl" && rest.length === 0)
    return declared.variants.map((variant) => variant.name.text);
  let value: Value | undefined = session.variables.get(first)?.value;
  for (const name of rest) value = value === undefined ? undefined : propertyOf(value, name);
  return value === undefined ? [] : completableMembersOf(value);
}

/** Looks into a value without running anything: a property that cannot be read has no members. */
function propertyOf(value: Value, name: string): Value | undefined {
  try {
    return getProperty(value, name);
  } catch {
    return undefined;
  }
}

function completableMembersOf(value: Value): string[] {
  const own = value instanceof Dict ? value.keys().filter((key) => /^[A-Za-z_]\w*$/.test(key)) : [];
  const fields =
    value instanceof StructValue
      ? [...value.entries().map(([name]) => name), ...value.struct.methods.keys()]
      : [];
  return [...own, ...fields, ...methodsOf(value).keys()];
}

/** The text for a name, without a final line break. */
export function describe(name: string, session: Session, builtins: BuiltinTable): string {
  const declared = session.declaration(name);
  if (declared !== undefined) {
    const text = session.transcript.slice(declared);
    const head = declared.kind === "FnDecl" ? text.slice(0, headLength(text)).trim() : text;
    return declared.doc === "" ? head : `${head}\n\n${declared.doc}`;
  }
  const variable = session.variables.get(name);
  if (variable !== undefined) return `${variable.mutable ? "var" : "let"} ${name}: ${typeOf(variable.value)}`;
  const spec = builtins.get(name);
  if (spec !== undefined) return builtinText(spec).trimEnd();
  const near = nearest(name, [...session.variables.keys(), ...builtins.keys()]);
  return `nothing here is called \`${name}\`${near === undefined ? "" : `; did you mean \`${near}\`?`}`;
}

/** A function without its body: up to the brace at the end of its head (types may hold braces too). */
function headLength(text: string): number {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (char === "(" || char === "[") depth++;
    else if (char === ")" || char === "]") depth--;
    else if (char === "{" && depth === 0) return i;
  }
  return text.length;
}
