/**
 * What is wrong with `harn.toml`: sections and keys that nothing reads, values of a wrong type. `harn check` fails of it; a
 * run says it once and goes on, except where it would lift a bound (`Field.bounds`).
 */
import { readFileSync } from "node:fs";
import { bySourceOrder, type Diagnostic, diagnostic } from "../diagnostics/index.ts";
import { reportError, UsageError } from "../host/command/index.ts";
import { createNodeHost } from "../host/index.ts";
import { serverConfigOf } from "../mcp/index.ts";
import {
  catalogueLayerOf,
  isObject,
  LlmUsageError,
  type ProjectManifest,
  readCapabilityLayer,
  withheldKeys,
} from "../model/index.ts";
import type { ModuleLoader } from "../resolve/index.ts";
import { SourceFile } from "../source/index.ts";
import { type DocumentIssue, documentIssues } from "../table/index.ts";
import { type Dict, display, fromJson, List, ScriptError, typeOf, type Value } from "../values/index.ts";
import { loadedManifest, type Manifest } from "./manifest.ts";
import { manifestFields, unreadSections } from "./manifest-fields.ts";
import { hooksFailure } from "./manifest-hooks.ts";

/** Sections whose readers say themselves that they are of the wrong type. */
const ownWords: ReadonlySet<string> = new Set(["hooks", "mcp", "llm", "capabilities"]);

/** Sections that are judged by the readers that refuse them wherever they are written; their rows are for the page about them. */
const readElsewhere: ReadonlySet<string> = new Set(["mcp", "llm", "capabilities"]);

interface Wrong {
  /** Keys from the top: `["lint", "disable"]`; of entries of a list, `skill.source[1]` is one key. */
  readonly path: string;
  readonly text: string;
  readonly hint: string;
  readonly severity: "error" | "warning";
  /** Its reader refuses it in a run, when it is needed. */
  readonly refused: boolean;
}

/** As `harn check` judges the manifest above a file: everything that is wrong is an error. */
export async function manifestFindings(
  file: string,
  loader: Pick<ModuleLoader, "resolve">,
): Promise<Diagnostic[]> {
  const manifest = await loadedManifest(file);
  if (manifest === undefined) return [];
  const said = [...wrongFields(manifest), ...refusedByReaders(manifest)];
  const withheld = said.length === 0 ? keysWithheld(manifest) : [];
  if (!said.some(({ path }) => /^(?:hooks|triggers)\b/.test(path)))
    said.push(...missingHandlers(manifest, loader));
  const judged = said.map((one) =>
    unreadSections.has(one.path) ? one : { ...one, severity: "error" as const },
  );
  return toDiagnostics(manifest, [...judged, ...withheld]);
}

/** Addresses of providers that get no key until the user agrees to them: whoever reads a cloned project should know. */
function keysWithheld({ path: file, tables }: Manifest): Wrong[] {
  const manifest = { path: file, tables: plainTables(tables) as ProjectManifest["tables"] };
  return withheldKeys(createNodeHost(), manifest).map(({ provider, address, keys }) => ({
    path: `llm.providers.${provider}`,
    text: `[llm.providers.${provider}]: the key in ${keys.join(" or ")} is not sent to ${address}: only this file names the address`,
    hint: "`harn trust` agrees to it once, for this table in this place",
    severity: "warning",
    refused: false,
  }));
}

/** As a run says it: an error where a bound would be lifted, a warning elsewhere; nothing that a reader refuses later. */
export async function manifestWarnings(file: string): Promise<Diagnostic[]> {
  let manifest: Manifest | undefined;
  try {
    manifest = await loadedManifest(file);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    // Who needs something of it will stop; a program that needs nothing runs.
    reportError(`warning: ${error.message}\n`);
  }
  return manifest === undefined
    ? []
    : toDiagnostics(
        manifest,
        wrongFields(manifest).filter((one) => !one.refused),
      );
}

function wrongFields(manifest: Manifest): Wrong[] {
  const document = fromJson(plainTables(manifest.tables) as never) as Dict;
  return documentIssues(document, manifestFields, (path) => !readElsewhere.has(path)).map(issueWords);
}

function issueWords(issue: DocumentIssue): Wrong {
  const { path, inside, key, table, error } = issue;
  const severity = error ? "error" : "warning";
  if (issue.kind === "type") {
    const { value } = issue;
    const got = typeof value === "string" ? JSON.stringify(value) : typeOf(value);
    return {
      path,
      text: `\`${path}\`: expected ${tomlWords(issue.expected)}, got ${got === "dict" ? "a table" : got}`,
      hint: `what it is: ${issue.row.doc}`,
      severity,
      refused: table.typedByReader || ownWords.has(path),
    };
  }
  const unread = inside === "" ? unreadSections.get(key) : undefined;
  if (unread !== undefined)
    return { path, text: `nothing reads [${key}]`, hint: unread, severity: "warning", refused: false };
  return {
    path,
    text: inside === "" ? `unknown section [${key}]` : `unknown key \`${key}\` in ${sectionName(inside)}`,
    hint:
      issue.near === undefined && inside !== "" && !error
        ? `it has no effect; known: ${[...table.names()].join(", ")}`
        : issue.hint,
    severity,
    refused: table.refusedByReader,
  };
}

/** `[lint]`; `[[hooks]] entry 2`. */
const sectionName = (at: string): string =>
  /\[\d+\]$/.test(at)
    ? at.replace(/^(.*)\[(\d+)\]$/, (_all, name, index) => `[[${name}]] entry ${Number(index) + 1}`)
    : `[${at}]`;

/** Dates become their text, as the run sees them. */
const plainTables = (tables: unknown): unknown => JSON.parse(JSON.stringify(tables));

const tomlWords = (type: string): string => (type.startsWith("dict") ? "a table" : type);

/** What the readers of sections say that have their own words for everything; one finding per section or entry. */
function refusedByReaders(manifest: Manifest): Wrong[] {
  const { llm, capabilities, mcp } = plainTables(manifest.tables) as { readonly [name: string]: unknown };
  const found: Wrong[] = [];
  const judge = (path: string, read: () => unknown): void => {
    try {
      read();
    } catch (error) {
      if (!(error instanceof LlmUsageError) && !(error instanceof ScriptError)) throw error;
      const text = error instanceof ScriptError ? display(error.value) : error.message;
      found.push({ path, text, hint: "a run stops when it needs this", severity: "error", refused: true });
    }
  };
  if (isObject(llm)) judge("llm", () => catalogueLayerOf(llm, "[llm]"));
  if (isObject(capabilities))
    judge("capabilities", () => readCapabilityLayer(capabilities, "[capabilities]"));
  const servers: Value = fromJson((mcp ?? null) as never);
  if (servers instanceof List)
    for (const [index, entry] of [...servers].entries())
      judge(`mcp[${index}]`, () => serverConfigOf(entry, `[[mcp]] entry ${index + 1}`));
  return found;
}

/** Functions that `[[hooks]]` and `[[triggers]]` name: a run that can't have one does not begin. */
function missingHandlers({ path: file, tables }: Manifest, loader: Pick<ModuleLoader, "resolve">): Wrong[] {
  const text = hooksFailure({ file, tables }, (specifier) => loader.resolve(specifier, file));
  const path = text?.includes("trigger") === true ? "triggers" : "hooks";
  if (text === undefined) return [];
  return [{ path, text, hint: "a run does not begin without it", severity: "error", refused: true }];
}

function toDiagnostics(manifest: Manifest, found: readonly Wrong[]): Diagnostic[] {
  if (found.length === 0) return [];
  const source = new SourceFile(manifest.path, readFileSync(manifest.path, "utf8"), manifest.path);
  return found
    .map(({ path, text, hint, severity }) => ({
      ...diagnostic("HARN-OPT-004", source, spanOfKey(source.text, path), { text, hint }),
      severity,
    }))
    .sort(bySourceOrder);
}

/** Where a key stands: the line that says the most of its path; the start of the file when none does. */
function spanOfKey(text: string, path: string): { readonly start: number; readonly end: number } {
  const entries = new Map<string, number>();
  let header = "";
  let at = 0;
  let best = { start: 0, end: 0, length: 0 };
  for (const line of text.split("\n")) {
    const table = /^\s*(\[\[?)\s*([^\]]+?)\s*\]/.exec(line);
    const key = /^\s*("[^"]*"|'[^']*'|[\w.-]+)\s*=/.exec(line);
    if (table !== null) {
      header = bare(table[2]!);
      if (table[1] === "[[") {
        const count = entries.get(header) ?? 0;
        entries.set(header, count + 1);
        header += `[${count}]`;
      }
    }
    const here = table !== null ? header : key !== null ? join(header, bare(key[1]!)) : undefined;
    const shown = table !== null ? table[2]! : key?.[1];
    const fits =
      here !== undefined &&
      (path === here ||
        path.startsWith(`${here}.`) ||
        here.startsWith(`${path}.`) ||
        here.startsWith(`${path}[`));
    if (
      here !== undefined &&
      shown !== undefined &&
      fits &&
      Math.min(here.length, path.length) > best.length
    ) {
      const start = at + line.indexOf(shown);
      best = { start, end: start + shown.length, length: Math.min(here.length, path.length) };
    }
    at += line.length + 1;
  }
  return best;
}

const bare = (keys: string): string => keys.replaceAll(/["'\s]/g, "");
const join = (header: string, key: string): string => (header === "" ? key : `${header}.${key}`);
