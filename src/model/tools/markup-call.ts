/**
 * Calls in other vendors' spelling, accepted in place of `name({...})` (agents.md §7.2, rule 2):
 *
 *     {"name": "read", "arguments": {…}}            also "args", "parameters", "input"; a JSON string counts as its value
 *     <read>{…}</read>
 *     <function=read><parameter=path>x</parameter></function>
 *     <invoke name="read"><parameter name="path">x</parameter></invoke>
 */
import { parseLiteral, type ScanBudget } from "./literal.ts";

export interface MarkupCall {
  readonly name: string;
  readonly json: string;
}

/** Reads one call that fills the whole text, or gives undefined. */
export function markupCall(text: string, budget: ScanBudget): MarkupCall | undefined {
  const body = text.trim();
  if (body.startsWith("{")) return jsonCall(body, budget);
  if (!body.startsWith("<")) return undefined;
  return parameterCall(body) ?? elementCall(body, budget);
}

function jsonCall(body: string, budget: ScanBudget): MarkupCall | undefined {
  const literal = parseLiteral(body, 0, budget);
  if (!literal.ok || body.slice(literal.end).trim() !== "") return undefined;
  const parsed = JSON.parse(literal.json) as Record<string, unknown>;
  const call = ownObject(parsed, "function") ?? parsed;
  const name = ownProperty(call, "name") ?? ownProperty(call, "tool");
  if (typeof name !== "string" || name === "") return undefined;
  for (const key of ["arguments", "args", "parameters", "input"]) {
    const input = ownProperty(call, key);
    if (input === undefined) continue;
    const json = typeof input === "string" ? objectText(input, budget) : objectJson(input);
    return json === undefined ? undefined : { name, json };
  }
  return { name, json: "{}" };
}

/** `<function=name>…` and `<invoke name="…">…` with parameter elements. */
function parameterCall(body: string): MarkupCall | undefined {
  const open = /^<(?:function\s*=\s*["']?([\w.-]+)["']?|invoke\s+name\s*=\s*["']([\w.-]+)["'])\s*>/.exec(
    body,
  );
  if (open === null) return undefined;
  const name = (open[1] ?? open[2]) as string;
  const pairs: string[] = [];
  const parameter =
    /<parameter(?:\s*=\s*["']?([\w.-]+)["']?|\s+name\s*=\s*["']([\w.-]+)["'][^<>]{0,200})\s*>/g;
  parameter.lastIndex = open[0].length;
  for (let found = parameter.exec(body); found !== null; found = parameter.exec(body)) {
    const close = body.indexOf("</parameter>", parameter.lastIndex);
    if (close === -1) return undefined;
    const value = body.slice(parameter.lastIndex, close);
    pairs.push(`${JSON.stringify(found[1] ?? found[2])}:${scalarJson(value)}`);
    parameter.lastIndex = close;
  }
  return { name, json: `{${pairs.join(",")}}` };
}

/** `<name>{json}</name>` */
function elementCall(body: string, budget: ScanBudget): MarkupCall | undefined {
  const open = /^<([A-Za-z_][\w.-]*)>\s*(?=\{)/.exec(body);
  if (open === null) return undefined;
  const literal = parseLiteral(body, open[0].length, budget);
  if (!literal.ok || body.slice(literal.end).trim() !== `</${open[1]}>`) return undefined;
  return { name: open[1] as string, json: literal.json };
}

/** A parameter's text: JSON where it is JSON (numbers, booleans, lists, objects), else the text itself. */
function scalarJson(text: string): string {
  const trimmed = text.trim();
  if (/^(?:[[{]|-?\d|true$|false$|null$)/.test(trimmed)) {
    try {
      JSON.parse(trimmed);
      return trimmed;
    } catch {
      // Just text that looks like JSON.
    }
  }
  return JSON.stringify(text.replace(/^\r?\n/, "").replace(/\r?\n$/, ""));
}

function objectText(text: string, budget: ScanBudget): string | undefined {
  const body = text.trim();
  if (!body.startsWith("{")) return undefined;
  const literal = parseLiteral(body, 0, budget);
  return literal.ok && body.slice(literal.end).trim() === "" ? literal.json : undefined;
}

function objectJson(value: unknown): string | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? JSON.stringify(value)
    : undefined;
}

function ownProperty(object: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function ownObject(object: Record<string, unknown>, key: string): Record<string, unknown> | undefined {
  const value = ownProperty(object, key);
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}
