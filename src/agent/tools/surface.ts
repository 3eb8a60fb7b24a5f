/**
 * Surface validation (agents.md §6.4): what is likely to go wrong with a set of tools, its policies and the prompts
 * that speak of it, found before a model is asked.
 */

import type { ToolEntry, ToolSet } from "../../model/index.ts";
import { Dict, List, nameMatches, type Value } from "../../values/index.ts";
import { kindOfTool, levelRank, sideEffectOf } from "../policy/annotations.ts";

export interface SurfaceDiagnostic {
  readonly code: string;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly tool?: string;
  readonly field?: string;
}

export interface Surface {
  readonly tools: ToolSet;
  readonly policy: Dict | null;
  readonly approval: Dict | null;
  readonly prompts: readonly string[];
}

/** All findings, errors first, each group in the order of tools, policies, prompts. */
export function validateSurface(surface: Surface): SurfaceDiagnostic[] {
  const found = [
    ...surface.tools.entries.flatMap((entry) => [...entryFindings(surface, entry)]),
    ...constraintFindings(surface),
    ...approvalFindings(surface),
    ...surface.prompts.flatMap((prompt) => [...promptFindings(surface, prompt)]),
  ];
  return [...found.filter(isError), ...found.filter((one) => !isError(one))];
}

const isError = (one: SurfaceDiagnostic): boolean => one.severity === "error";

const finding = (
  severity: "error" | "warning",
  code: string,
  message: string,
  more: { tool?: string; field?: string } = {},
): SurfaceDiagnostic => ({ code: `TOOL_SURFACE_${code}`, severity, message, ...more });

function* entryFindings(surface: Surface, entry: ToolEntry): Generator<SurfaceDiagnostic> {
  const { name: tool, raw, annotations } = entry;
  const isSet = (key: string): boolean => (raw.get(key) ?? null) !== null;
  if (!isSet("parameters") && !isSet("inputSchema") && !isSet("input_schema"))
    yield finding("warning", "MISSING_SCHEMA", `tool '${tool}' declares no parameters`, {
      tool,
      field: "parameters",
    });
  if (annotations === undefined)
    yield finding("warning", "MISSING_ANNOTATIONS", `tool '${tool}' has no annotations`, {
      tool,
      field: "annotations",
    });
  else if (sideEffectOf(annotations) === null)
    yield finding("warning", "MISSING_SIDE_EFFECT_LEVEL", `tool '${tool}' declares no side_effect_level`, {
      tool,
      field: "annotations.side_effect_level",
    });
  if (!isSet("executor") && entry.handler === undefined)
    yield finding("warning", "MISSING_EXECUTOR", `tool '${tool}' has neither executor nor handler`, {
      tool,
      field: "executor",
    });
  yield* readerFindings(surface, entry);
  const ceiling = surface.policy?.get("side_effect_level");
  if (levelRank(ceiling) >= 0 && levelRank(sideEffectOf(annotations)) > levelRank(ceiling))
    yield finding(
      "error",
      "SIDE_EFFECT_CEILING_EXCEEDED",
      `tool '${tool}' needs ${sideEffectOf(annotations)}, the policy's ceiling is ${String(ceiling)}`,
      { tool, field: "annotations.side_effect_level" },
    );
}

function* readerFindings({ tools }: Surface, entry: ToolEntry): Generator<SurfaceDiagnostic> {
  const { name: tool, annotations } = entry;
  const readers = textsOf(annotations?.get("result_readers") ?? null);
  for (const reader of readers) {
    if (!tools.byName.has(reader))
      yield finding(
        "warning",
        "UNKNOWN_RESULT_READER",
        `tool '${tool}' names an unknown result reader '${reader}'`,
        {
          tool,
          field: "annotations.result_readers",
        },
      );
  }
  const emits = kindOfTool(annotations) === "execute" && annotations?.get("emits_artifacts") === true;
  if (!emits || annotations.get("inline_result") === true) return;
  if (readers.some((reader) => tools.byName.has(reader)) || tools.entries.some(readsResults)) return;
  yield finding(
    "error",
    "MISSING_RESULT_READER",
    `tool '${tool}' emits artifacts that no tool reads: add a reader, or set inline_result`,
    { tool, field: "annotations.result_readers" },
  );
}

/** A reading tool that takes the id of an output or artifact. */
function readsResults(entry: ToolEntry): boolean {
  if (kindOfTool(entry.annotations) !== "read") return false;
  return [entry.name, ...parametersOf(entry)].some((text) => /output|artifact/i.test(text));
}

function parametersOf(entry: ToolEntry): string[] {
  const { properties } = entry.inputSchema;
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
}

function* constraintFindings({ tools, policy }: Surface): Generator<SurfaceDiagnostic> {
  const constraints = policy?.get("tool_arg_constraints") ?? null;
  for (const constraint of constraints instanceof List ? constraints : []) {
    if (!(constraint instanceof Dict)) continue;
    const pattern = constraint.get("tool");
    if (typeof pattern !== "string") continue;
    const matched = tools.entries.filter((entry) => nameMatches(pattern, entry.name));
    const key = constraint.get("arg_key");
    if (matched.length === 0)
      yield finding(
        "warning",
        "UNKNOWN_ARG_CONSTRAINT_TOOL",
        `an argument constraint names '${pattern}', which matches no tool`,
        {
          tool: pattern,
          field: "policy.tool_arg_constraints",
        },
      );
    else if (typeof key === "string" && !matched.some((entry) => parametersOf(entry).includes(key)))
      yield finding(
        "warning",
        "UNKNOWN_ARG_CONSTRAINT_KEY",
        `an argument constraint on '${pattern}' names '${key}', which is no parameter of it`,
        {
          tool: pattern,
          field: `policy.tool_arg_constraints.${key}`,
        },
      );
  }
}

function* approvalFindings({ tools, approval }: Surface): Generator<SurfaceDiagnostic> {
  for (const field of ["auto_approve", "auto_deny", "require_approval"]) {
    for (const pattern of textsOf(approval?.get(field) ?? null)) {
      if (!tools.entries.some((entry) => nameMatches(pattern, entry.name)))
        yield finding(
          "warning",
          "APPROVAL_PATTERN_NO_MATCH",
          `approval pattern '${pattern}' matches no tool`,
          {
            field: `approval_policy.${field}`,
          },
        );
    }
  }
}

// ── prompts ───────────────────────────────────────────────────────────────────────────────────────────────────────

function* promptFindings({ tools, policy }: Surface, prompt: string): Generator<SurfaceDiagnostic> {
  const allowed = textsOf(policy?.get("tools") ?? null);
  const seen = new Set<string>();
  for (const { name, keys } of promptCalls(visibleLines(prompt))) {
    const entry = tools.byName.get(name);
    yield* aliasFindings(entry, name, keys);
    if (seen.has(name)) continue;
    seen.add(name);
    if (entry === undefined)
      yield finding("warning", "UNKNOWN_PROMPT_TOOL", `the prompt calls '${name}', which is no tool`, {
        tool: name,
      });
    else if (allowed.length > 0 && !allowed.some((pattern) => nameMatches(pattern, name)))
      yield finding(
        "warning",
        "PROMPT_TOOL_NOT_IN_POLICY",
        `the prompt calls '${name}', which the policy does not allow`,
        {
          tool: name,
        },
      );
    else if (entry.deferLoading)
      yield finding(
        "warning",
        "DEFERRED_TOOL_PROMPT_REFERENCE",
        `the prompt calls '${name}', which is loaded only when searched for`,
        {
          tool: name,
        },
      );
  }
}

function aliasesOf(entry: ToolEntry | undefined): Dict | undefined {
  const schema = entry?.annotations?.get("arg_schema");
  const aliases = schema instanceof Dict ? schema.get("arg_aliases") : undefined;
  return aliases instanceof Dict ? aliases : undefined;
}

function* aliasFindings(
  entry: ToolEntry | undefined,
  name: string,
  keys: readonly string[],
): Generator<SurfaceDiagnostic> {
  const aliases = aliasesOf(entry);
  for (const key of keys) {
    const target = aliases?.get(key);
    if (typeof target === "string")
      yield finding(
        "warning",
        "DEPRECATED_ARG_ALIAS",
        `the prompt calls '${name}' with '${key}', an alias of '${target}'`,
        {
          tool: name,
          field: key,
        },
      );
  }
}

const marker = (name: string): string => `<!-- harn-tool-surface: ${name} -->`;

/** The lines that count: no fenced code, nothing between or after the comment markers. */
function visibleLines(prompt: string): string {
  const kept: string[] = [];
  let fenced = false;
  let ignored = false;
  let skipNext = false;
  for (const line of prompt.split("\n")) {
    if (/^\s*(```|~~~)/.test(line)) fenced = !fenced;
    else if (line.includes(marker("ignore-start"))) ignored = true;
    else if (line.includes(marker("ignore-end"))) ignored = false;
    else if (line.includes(marker("ignore-next-line"))) {
      skipNext = true;
      continue;
    } else if (!fenced && !ignored && !skipNext) kept.push(line);
    skipNext = false;
  }
  return kept.join("\n");
}

/** `name({key: …})` and `name(…)` where the name looks like a tool's: snake case with an underscore, or a dict argument. */
function* promptCalls(text: string): Generator<{ name: string; keys: string[] }> {
  for (const match of text.matchAll(/(?<![\w.])([a-z][a-z0-9_]*)\((\s*\{([^}]*)\}?)?/g)) {
    const [, name = "", braces, inner = ""] = match;
    if (braces === undefined && !name.includes("_")) continue;
    const keys = [...inner.matchAll(/["']?([A-Za-z_]\w*)["']?\s*:/g)].map((key) => key[1] as string);
    yield { name, keys };
  }
}

function textsOf(value: Value): string[] {
  if (typeof value === "string") return [value];
  return value instanceof List ? [...value].filter((item) => typeof item === "string") : [];
}
