/** JSON pointers (RFC 6901) on script values. */
import { at, refusal } from "../../table/index.ts";
import { Dict, List, type Value } from "../../values/index.ts";

/** The unescaped tokens. */
export function parsePointer(name: string, pointer: string): string[] {
  if (pointer === "") return [];
  if (!pointer.startsWith("/"))
    throw refusal(at(name, "pointer"), 'empty, or a text that begins with "/"', pointer);
  return pointer
    .slice(1)
    .split("/")
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function indexOf(token: string): number | undefined {
  return /^(0|[1-9]\d*)$/.test(token) ? Number(token) : undefined;
}

function childAt(value: Value, token: string): Value | undefined {
  if (value instanceof Dict) return value.get(token);
  const index = value instanceof List ? indexOf(token) : undefined;
  return index === undefined ? undefined : (value as List).at(index);
}

/** `undefined` when nothing is there. */
export function getPointer(value: Value, tokens: readonly string[]): Value | undefined {
  let at: Value | undefined = value;
  for (const token of tokens) {
    if (at === undefined) return undefined;
    at = childAt(at, token);
  }
  return at;
}

/** Rebuilds the parents of the pointer's end; `change` gets the last parent and gives its successor. */
function rebuild(
  value: Value,
  tokens: readonly string[],
  change: (parent: Value, token: string) => Value | undefined,
): Value | undefined {
  const parents: Value[] = [value];
  for (const token of tokens.slice(0, -1)) {
    const next = childAt(parents.at(-1) as Value, token);
    if (next === undefined) return undefined;
    parents.push(next);
  }
  let changed = change(parents.at(-1) as Value, tokens.at(-1) as string);
  for (let i = parents.length - 2; i >= 0 && changed !== undefined; i--) {
    changed = replaceChild(parents[i] as Value, tokens[i] as string, changed);
  }
  return changed;
}

function replaceChild(parent: Value, token: string, value: Value): Value | undefined {
  if (parent instanceof Dict) return parent.with(token, value);
  if (!(parent instanceof List)) return undefined;
  const index = token === "-" ? parent.length : indexOf(token);
  if (index === undefined || index > parent.length) return undefined;
  if (index === parent.length) return parent.push(value);
  return new List(parent.toArray().with(index, value));
}

function removeChild(parent: Value, token: string): Value | undefined {
  if (parent instanceof Dict) return parent.without(token);
  const index = parent instanceof List ? indexOf(token) : undefined;
  if (index === undefined || index >= (parent as List).length) return undefined;
  return new List((parent as List).toArray().toSpliced(index, 1));
}

/** Unchanged when the parent is missing or the index too far. */
export function setPointer(value: Value, tokens: readonly string[], replacement: Value): Value {
  if (tokens.length === 0) return replacement;
  return rebuild(value, tokens, (parent, token) => replaceChild(parent, token, replacement)) ?? value;
}

/** Unchanged when there is nothing to delete; the whole value becomes nil. */
export function deletePointer(value: Value, tokens: readonly string[]): Value {
  if (tokens.length === 0) return null;
  return rebuild(value, tokens, removeChild) ?? value;
}
