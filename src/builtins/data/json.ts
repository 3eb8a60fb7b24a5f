/** JSON (builtins.md §2.10): text, extraction from model answers, pointers. Queries are in jq.ts. */
import { defineBuiltins } from "../../table/index.ts";
import {
  Dict,
  jsonParse,
  jsonPretty,
  jsonStringify,
  ScriptError,
  thrown,
  type Value,
} from "../../values/index.ts";
import { type Argument, textOf } from "../arguments.ts";
import { deletePointer, getPointer, parsePointer, setPointer } from "./json-pointer.ts";

function extract(text: string, key: Argument): Value {
  let parsed: Value;
  try {
    parsed = jsonParse(extractJsonText(text));
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    throw thrown(`json_extract: failed to parse JSON: ${cause(error)}`);
  }
  if (key === undefined || key === null) return parsed;
  if (!(parsed instanceof Dict)) throw thrown("json_extract: parsed value is not a dict, cannot extract key");
  const value = parsed.get(textOf(key));
  if (value === undefined) throw thrown(`json_extract: key '${textOf(key)}' not found`);
  return value;
}

function cause(error: ScriptError): string {
  return textOf(error.value).replace(/^JSON parse error: /, "");
}

export const json = defineBuiltins("json", {
  json_parse: {
    doc: "The value of a JSON text. Ints stay exact up to 64 bits.",
    sig: "(text: any) -> any",
    effect: "pure",
    traits: ["uncheckedText", "unvalidated"],
    example: 'json_parse("[1, 2.5]")  // [1, 2.5]',
    run: (_task, text: Argument) => jsonParse(textOf(text)),
  },
  json_stringify: {
    doc: "Compact JSON with sorted keys. What JSON can't say (functions, durations, handles) is null.",
    sig: "(value: any) -> string",
    effect: "pure",
    traits: ["borrows", "needsWhole"],
    example: 'json_stringify({b: [1, nil], a: "x"})  // {"a":"x","b":[1,null]}',
    run: (_task, value: Argument) => jsonStringify(value ?? null),
  },
  json_stringify_pretty: {
    doc: "JSON with sorted keys, indented by two blanks.",
    sig: "(value: any) -> string",
    effect: "pure",
    traits: ["needsWhole"],
    example: "len(json_stringify_pretty({a: 1}))  // 12",
    run: (_task, value: Argument) => jsonPretty(value ?? null),
  },
  json_extract: {
    doc: "The JSON inside a text such as a model's answer: the first fence, else the first object, else the first list.",
    sig: "(text: any, key?: string) -> any",
    effect: "pure",
    traits: ["uncheckedText", "unvalidated"],
    example: 'json_extract("Sure: {\\"a\\": 1}!", "a")  // 1',
    run: (_task, text: Argument, key: Argument) => extract(textOf(text), key),
  },
  json_pointer: {
    doc: "The value at a JSON pointer (RFC 6901); nil when there is none.",
    sig: "(value: any, pointer: string) -> any",
    effect: "pure",
    example: 'json_pointer({a: [1, 2]}, "/a/1")  // 2',
    run: (_task, value: Argument, pointer: Argument) =>
      getPointer(value ?? null, parsePointer("json_pointer", textOf(pointer))) ?? null,
  },
  json_pointer_set: {
    doc: "A copy with the value at a JSON pointer replaced or added; unchanged when its parent is missing.",
    sig: "(value: any, pointer: string, new: any) -> any",
    effect: "pure",
    example: 'json_pointer_set({a: [1]}, "/a/-", 2)  // {a: [1, 2]}',
    run: (_task, value: Argument, pointer: Argument, replacement: Argument) =>
      setPointer(value ?? null, parsePointer("json_pointer_set", textOf(pointer)), replacement ?? null),
  },
  json_pointer_delete: {
    doc: "A copy without the value at a JSON pointer.",
    sig: "(value: any, pointer: string) -> any",
    effect: "pure",
    example: 'json_pointer_delete({a: 1, b: 2}, "/a")  // {b: 2}',
    run: (_task, value: Argument, pointer: Argument) =>
      deletePointer(value ?? null, parsePointer("json_pointer_delete", textOf(pointer))),
  },
});

/** The first fence's content, else the first balanced object, else the first balanced list, else the trimmed text. */
function extractJsonText(text: string): string {
  return fencedText(text) ?? balanced(text, "{", "}") ?? balanced(text, "[", "]") ?? text.trim();
}

function fencedText(text: string): string | undefined {
  const open = text.indexOf("```");
  if (open < 0) return undefined;
  const line = text.indexOf("\n", open);
  const sameLine = text.indexOf("```", open + 3);
  if (sameLine >= 0 && (line < 0 || sameLine < line)) {
    return text
      .slice(open + 3, sameLine)
      .replace(/^[A-Za-z]+\s/, "")
      .trim();
  }
  if (line < 0) return undefined;
  const close = text.indexOf("```", line);
  return text.slice(line + 1, close < 0 ? text.length : close).trim();
}

/** The first part between matching brackets, strings skipped. Each start is left behind when it never closes. */
function balanced(text: string, open: string, close: string): string | undefined {
  const start = text.indexOf(open);
  if (start < 0) return undefined;
  let depth = 0;
  let inString = false;
  for (let i = start; i < text.length; i++) {
    const char = text[i];
    if (inString) {
      if (char === "\\") i += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === open) depth += 1;
    else if (char === close && --depth === 0) return text.slice(start, i + 1);
  }
  return undefined;
}
