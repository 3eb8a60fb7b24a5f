/** Taking values apart: the patterns of `let`, `var` and `for` (language.md §7.4). */
import { type Frame, locatedFrame, type Run, type Site } from "../../interp/index.ts";
import type { Expr, Name, Pattern } from "../../syntax/index.ts";
import { Dict, getProperty, List, typeError, typeOf, type Value } from "../../values/index.ts";
import type { Ctx } from "../node.ts";
import { store } from "../places/stores.ts";
import { operand } from "./operand.ts";

/** Takes a value apart; may give a promise (of nothing) where a default waits. */
export function lowerPattern(ctx: Ctx, pattern: Pattern): (f: Frame, value: Value) => unknown {
  const site = ctx.site(pattern);
  switch (pattern.kind) {
    case "NamePattern": {
      const put = store(ctx, pattern.name);
      return (f, value) => {
        put(f, value);
      };
    }
    case "PairPattern": {
      const first = store(ctx, pattern.first);
      const second = store(ctx, pattern.second);
      return (f, value) => {
        try {
          first(f, getProperty(value, "first"));
          second(f, getProperty(value, "second"));
        } catch (error) {
          throw locatedFrame(error, site);
        }
      };
    }
    case "DictPattern":
      return dictPattern(ctx, pattern, site);
    case "ListPattern":
      return listPattern(ctx, pattern, site);
  }
}

interface PatternPart {
  readonly put: (f: Frame, value: unknown) => void;
  readonly otherwise: Run | undefined;
}

function part(ctx: Ctx, name: Name, fallback: Expr | undefined): PatternPart {
  const put = store(ctx, name);
  return { put, otherwise: fallback === undefined ? undefined : operand(ctx, fallback).run };
}

/** Fills one part: its default stands in for nil. */
function fill(f: Frame, one: PatternPart, value: Value): unknown {
  if (value !== null || one.otherwise === undefined) {
    one.put(f, value);
    return undefined;
  }
  const other = one.otherwise(f);
  if (other instanceof Promise) return other.then((other) => one.put(f, other));
  one.put(f, other);
  return undefined;
}

/** Fills parts in order, from the first that waits on in promises. */
function fillAll(f: Frame, parts: readonly PatternPart[], valueAt: (i: number) => Value, from = 0): unknown {
  for (let i = from; i < parts.length; i++) {
    const waiting = fill(f, parts[i]!, valueAt(i)) as Promise<unknown> | undefined;
    if (waiting !== undefined) return waiting.then(() => fillAll(f, parts, valueAt, i + 1));
  }
  return undefined;
}

function dictPattern(ctx: Ctx, pattern: Extract<Pattern, { kind: "DictPattern" }>, site: Site) {
  const keys = pattern.entries.map((entry) => entry.key.text);
  const parts = pattern.entries.map((entry) => part(ctx, entry.alias ?? entry.key, entry.default));
  const rest = pattern.rest === undefined ? undefined : store(ctx, pattern.rest);
  return (f: Frame, value: Value): unknown => {
    if (!(value instanceof Dict))
      throw locatedFrame(
        typeError(`cannot destructure ${typeOf(value)} with {...} pattern — expected dict`),
        site,
      );
    if (rest !== undefined) {
      const others = value.toMap();
      for (const key of keys) others.delete(key);
      rest(f, Dict.fromArrays([...others.keys()], [...others.values()]));
    }
    return fillAll(f, parts, (i) => value.get(keys[i]!) ?? null);
  };
}

function listPattern(ctx: Ctx, pattern: Extract<Pattern, { kind: "ListPattern" }>, site: Site) {
  const parts = pattern.elements.map((element) => part(ctx, element.name, element.default));
  const rest = pattern.rest === undefined ? undefined : store(ctx, pattern.rest);
  return (f: Frame, value: Value): unknown => {
    if (!(value instanceof List))
      throw locatedFrame(
        typeError(`cannot destructure ${typeOf(value)} with [...] pattern — expected list`),
        site,
      );
    if (rest !== undefined) rest(f, new List(value.toArray().slice(parts.length)));
    return fillAll(f, parts, (i) => value.at(i) ?? null);
  };
}
