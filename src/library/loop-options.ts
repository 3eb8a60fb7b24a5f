/**
 * The options of an agent as a program in TypeScript gives them, as the dict that `agent_loop` takes: names from camelCase by the
 * rows, and nothing else. Whether values are right is the loop's own to say; names that it would be told of in a script are refused
 * here, all at once, since nobody looks at warnings of a library.
 */
import { loopFields } from "../agent/index.ts";
import { nearest } from "../diagnostics/index.ts";
import { callFields } from "../model/index.ts";
import { camel, documentIssues, type FieldTable, inputText, unknownKey } from "../table/index.ts";
import { type Dict, fromJson } from "../values/index.ts";
import { harnError } from "./errors.ts";
import { type DataForm, namesInText, needsScript, optionNames } from "./loop-names.ts";
import { noSuchOption } from "./option-checks.ts";

type Names = { readonly [name: string]: unknown };

/** Throws a `HarnError` with everything that is wrong with the names. `caller`: who was given them. */
export function agentLoopOptions(options: object, caller = "h.agent"): Names {
  const problems: string[] = [];
  const dict = new Translation(problems).dict(options as Names, loopFields, "");
  problems.push(...wrongCallOptions(dict));
  if (problems.length > 0) throw harnError("HARN-LIB-001", `${caller}: ${problems.join("; ")}`);
  return dict;
}

/** `llm_options` is mixed into the loop's own when it is read, and with that its path is lost: its plain values are looked at here. */
function wrongCallOptions({ llm_options: given }: Names): string[] {
  if (!isRecord(given)) return [];
  const isPlain = ([, value]: readonly [string, unknown]): boolean =>
    ["string", "number", "boolean"].includes(typeof value);
  const plain = fromJson(Object.fromEntries(Object.entries(given).filter(isPlain)) as never) as Dict;
  return documentIssues(plain, callFields).flatMap((issue) =>
    issue.kind === "type"
      ? [
          `\`${pathInTypeScript(`llm_options.${issue.path}`)}\`: expected ${issue.expected}, got ${inputText(issue.value)}`,
        ]
      : [],
  );
}

class Translation {
  private readonly problems: string[];
  /** Dicts that are gone through now: one that holds itself is left for those who refuse it. */
  private readonly open = new Set<object>();

  constructor(problems: string[]) {
    this.problems = problems;
  }

  dict(record: Names, table: FieldTable, path: string): Names {
    const names = optionNames(table);
    const read = new Map<string, unknown>();
    for (const [key, value] of Object.entries(record)) {
      if (value === undefined) continue;
      const at = path === "" ? key : `${path}.${key}`;
      const option = names.get(key);
      if (option === undefined) {
        if (this.isOther(key, value, table, path)) read.set(key, value);
      } else if (option.leftOut !== null)
        this.problems.push(`\`${at}\` can't be given here: ${namesInText(option.leftOut)}`);
      else read.set(option.row.name, this.value(value, option.forms, at));
    }
    return Object.fromEntries(read);
  }

  /** Whether a name that no row has may stand there all the same; says what it is where it may not. */
  private isOther(key: string, value: unknown, table: FieldTable, path: string): boolean {
    const names = optionNames(table);
    const where = path === "" ? "" : `in \`${path}\` `;
    if (table.get(key) !== undefined) {
      this.problems.push(`${where}there is no option \`${key}\`; here it is \`${camel(key)}\``);
      return false;
    }
    const snake = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const { near } = unknownKey(table, snake, false);
    const meant = near === undefined ? nearest(key, names.keys()) : camel(near);
    // Notes of a script's own begin with `_`; a program has nobody who reads them.
    const fits = table.othersType === "any" || (isRecord(value) && !key.startsWith("_"));
    if (table.others !== undefined && meant === undefined && fits) return true;
    this.problems.push(where + noSuchOption(key, meant, "docs/reference/agent-loop.md has all"));
    return false;
  }

  private value(value: unknown, forms: readonly DataForm[], path: string): unknown {
    if (typeof value === "function") {
      this.problems.push(`\`${path}\` can't be a function: ${needsScript}`);
      return null;
    }
    if (Array.isArray(value)) {
      const list = forms.find((form) => form.kind === "list");
      return list === undefined
        ? value
        : value.map((one: unknown, index) => this.value(one, list.items, `${path}[${index}]`));
    }
    return isRecord(value) ? this.record(value, forms, path) : value;
  }

  private record(value: Names, forms: readonly DataForm[], path: string): unknown {
    const map = forms.find((form) => form.kind === "map");
    if (map !== undefined)
      return Object.fromEntries(
        Object.entries(value).map(([key, one]) => [key, this.value(one, map.items, `${path}.${key}`)]),
      );
    const tables = forms.flatMap((form) => (form.kind === "dict" && form.table !== null ? [form.table] : []));
    const table = tables.length < 2 ? tables[0] : tables.find((one) => isTagged(value, one));
    if (table === undefined || this.open.has(value)) return value;
    this.open.add(value);
    const read = this.dict(value, table, path);
    this.open.delete(value);
    return read;
  }
}

/** Of several dicts that may stand in a place each has a text of its own under one key; one may have none. */
function isTagged(value: Names, table: FieldTable): boolean {
  const tags = [...optionNames(table).values()].flatMap(({ name, forms: [only, ...more] }) =>
    only?.kind === "literal" && more.length === 0 ? [{ name, text: only.value }] : [],
  );
  return tags.every(({ name, text }) => value[name] === text);
}

/** A dict as programs write it; what has a class of its own is no data, which is said where values are read. */
function isRecord(value: unknown): value is Names {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/**
 * What the loop refuses about its options, with its path and the names in it as TypeScript writes them; `undefined` for everything
 * else that it says.
 */
export function loopRefusal(message: string, caller: string): string | undefined {
  const [, path, why] =
    /^(?:Thrown: )?agent_loop: ([a-z]\w*(?:\[\d+\]|\.[^\s:.[\]]+)*)((?:: | has no ).*)$/su.exec(message) ??
    [];
  if (path === undefined || why === undefined) return undefined;
  const [first = ""] = /^\w+/.exec(path) ?? [];
  if (loopFields.get(first) === undefined) return undefined;
  const twice = why.replace(/(?<=: says the same as ")\w+/u, camel);
  const more = why.startsWith(": expected closure, got nil") ? ` (${needsScript})` : meantWord(why);
  return `${caller}: \`${pathInTypeScript(path)}\`${namesInText(twice)}${more}`;
}

/** `: expected "a" or "b", got string "bb"`: what it may have been meant for. */
function meantWord(why: string): string {
  const [, expected = "", given = ""] = /^: expected (".*"), got string "([^"]{1,30})"$/su.exec(why) ?? [];
  const near = nearest(
    given,
    [...expected.matchAll(/"([^"]+)"/g)].map(([, word]) => word as string),
  );
  return near === undefined || given === "" ? "" : `; did you mean "${near}"?`;
}

/** `iteration_budget.extend_by`, step by step through the rows; names that are the program's own stay. */
function pathInTypeScript(path: string): string {
  let forms: readonly DataForm[] = [{ kind: "dict", table: loopFields }];
  return path.replace(/\[\d+\]|[^.[\]]+/g, (step) => {
    if (step.startsWith("[")) {
      forms = forms.flatMap((form) => (form.kind === "list" ? form.items : []));
      return step;
    }
    const tables = forms.flatMap((form) => (form.kind === "dict" && form.table !== null ? [form.table] : []));
    const option = tables.flatMap((table) => optionNames(table).get(camel(step)) ?? [])[0];
    forms = option?.forms ?? forms.flatMap((form) => (form.kind === "map" ? form.items : []));
    return option?.name ?? step;
  });
}
