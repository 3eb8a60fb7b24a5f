/** Rows in doc comments: how they are read, and that the library's functions have them. */
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it, test } from "vitest";
import { builtinTable } from "../../../src/builtins/index.ts";
import { SourceFile } from "../../../src/source/index.ts";
import { type FnDecl, parse } from "../../../src/syntax/index.ts";
import {
  badDocRows,
  docFields,
  docParams,
  docText,
  type FieldTable,
  parseType,
  tableOf,
} from "../../../src/table/index.ts";

const doc = [
  "Waits.",
  "",
  "@option options.timeout_ms: int | float = 30000 (strict) — Milliseconds in all.",
  "@option options.retry: dict — How often.",
  "@option options.retry.max: int — Tries.",
  "@options options of other",
  "@options second of wait.options",
  "@options third open — data",
].join("\n");

const other = docFields("other", "@option options.colour: string — Which.", () => undefined);
const tables = docFields("wait", doc, (name, param) => (name === "other" ? other.get(param) : undefined));
const names = (table: FieldTable | undefined): string[] => [...(table?.names() ?? [])];

describe("rows in a doc comment", () => {
  it("are options with type, default and sentence", () => {
    const table = tables.get("options");
    expect(names(table)).toEqual(["colour", "timeout_ms", "retry"]);
    expect(table?.get("timeout_ms")).toMatchObject({
      type: "int | float",
      default: "30000",
      bounds: true,
      doc: "Milliseconds in all.",
    });
    expect(names(table?.get("retry")?.nested)).toEqual(["max"]);
  });

  it("may be those of another parameter, or data", () => {
    expect(names(tables.get("second"))).toEqual(["colour", "timeout_ms", "retry"]);
    expect(tables.get("third")?.others).toBe("data");
    expect(tables.get("options")?.others).toBeUndefined();
  });

  it("are open where the other function is not known", () => {
    const table = docFields("f", "@options options of nobody", () => undefined).get("options");
    expect(table?.others).toContain("not known");
  });

  it("are no part of the text", () => {
    expect(docText(doc)).toBe("Waits.");
    expect(badDocRows("@option options.x int — no colon\n@option options.x: int — right")).toEqual([
      "@option options.x int — no colon",
    ]);
  });
});

// ---------------------------------------------------------------- the library

const library = resolve(import.meta.dirname, "../../../stdlib");

interface Exported {
  readonly module: string;
  readonly node: FnDecl;
  readonly body: string;
}

const modules = globSync("**/*.harn", { cwd: library }).map((file) => {
  const text = readFileSync(join(library, file), "utf8");
  const { items } = parse(new SourceFile(file, text)).program;
  const functions = items.filter((item): item is FnDecl => item.kind === "FnDecl");
  return { file, text, functions };
});
const exported: Exported[] = modules.flatMap(({ file, text, functions }) =>
  functions
    .filter((node) => node.pub)
    .map((node) => ({ module: file, node, body: text.slice(node.body.start, node.body.end) })),
);

const takesOptions = /^(options|opts|config|filters|overrides)$/;
const called = ({ module, node }: Exported): string => `${module} ${node.name.text}`;

describe("functions of the library", () => {
  it("say which options they take", () => {
    const silent = exported.flatMap((one) =>
      one.node.params
        .filter((param) => takesOptions.test(param.name.text))
        .filter((param) => !docParams(one.node.doc).has(param.name.text))
        .map((param) => `${called(one)} ${param.name.text}`),
    );
    expect(silent).toEqual([]);
  });

  it("read no option that has no row", () => {
    const unsaid = exported.flatMap((one) =>
      [...docParams(one.node.doc)].flatMap(([param, { rows, others, open }]) => {
        if (open !== undefined || others.length > 0) return [];
        const known = new Set(rows.map((row) => row.path));
        return [...one.body.matchAll(new RegExp(`\\b${param}\\?\\.(\\w+)`, "g"))]
          .map((match) => match[1] as string)
          .filter((name) => !known.has(name))
          .map((name) => `${called(one)} ${param}.${name}`);
      }),
    );
    expect(unsaid).toEqual([]);
  });

  it("write rows that can be read, of parameters that they have", () => {
    const wrong = exported.flatMap((one) => {
      const params = new Set(one.node.params.map((param) => param.name.text));
      const stray = [...docParams(one.node.doc).keys()].filter((param) => !params.has(param));
      return [...badDocRows(one.node.doc), ...stray].map((text) => `${called(one)}: ${text}`);
    });
    expect(wrong).toEqual([]);
  });

  it("speak in a row of that option alone: one that a text names has no row", () => {
    const named = exported.flatMap((one) =>
      [...docParams(one.node.doc).values()].flatMap(({ rows }) =>
        rows
          .filter(({ doc }) => /\balso `\w+(?:,? \w+)+`/.test(doc))
          .map(({ path }) => `${called(one)}: ${path}`),
      ),
    );
    expect(named).toEqual([]);
  });

  it("name types that exist", () => {
    const builtins = builtinTable();
    for (const { node } of exported)
      for (const { rows, others } of docParams(node.doc).values()) {
        for (const row of rows) expect(() => parseType(row.type)).not.toThrow();
        for (const name of others) {
          const bare = name.replace(/\..*/, "");
          const own = exported.some((one) => one.node.name.text === bare);
          const fields = Object.values(builtins.get(bare)?.fields ?? {}).map((input) => tableOf(input));
          expect(own || fields.some((table) => table !== undefined), `${node.name.text}: of ${name}`).toBe(
            true,
          );
        }
      }
  });
});

/** Handed on whole: to a builtin, to the host, to another module, or into the plan that the function gives. */
const handedOn =
  /^(?:command\.harn command_run|triggers\.harn window_by|waitpoint\.harn (?:complete|cancel)|testing\/scripts\.harn llm_error|project\/\w+\.harn|llm\/tool_middleware\.harn with_idempotency|hitl|agent\/prompts\.harn agent_prompt_catalog|eval\.harn)/;

test("a row names an option that the module reads", () => {
  const unread = exported.flatMap((one) => {
    const { text } = modules.find(({ file }) => file === one.module) as (typeof modules)[number];
    const code = text.replace(/\/\*\*[\s\S]*?\*\//g, "");
    return [...docParams(one.node.doc).values()].flatMap(({ rows }) =>
      rows
        .filter(({ path }) => !new RegExp(`\\b${path.split(".").at(-1)}\\b`).test(code))
        .map(({ path }) => `${called(one)} ${path}`),
    );
  });
  expect(unread.filter((text) => !handedOn.test(text))).toEqual([]);
});
