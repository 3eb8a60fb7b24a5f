/** The direction of imports (src/README.md), read from the sources themselves. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ImportEdge, importsOf, sourceFiles, sourceRoot } from "../support/import-graph.ts";

/**
 * A folder imports only what stands before it; imports of types count. `model` and `agent` are ordered inside as well: a
 * file belongs to the longest entry that it lies in.
 */
const order = [
  "source",
  "diagnostics",
  "syntax",
  "resolve",
  "values",
  "effects",
  "table",
  "types",
  "interp",
  "lower",
  "process",
  "store",
  "durable",
  "host",
  "events",
  "model/llm",
  "model/values",
  "model/project",
  "model/tools",
  "model/conversation",
  "model/model-call",
  "model/llm-transcript",
  "model/llm-call",
  "model",
  "agent/contract",
  "agent/session",
  "agent/checks",
  "agent/policy",
  "agent/tools",
  "agent/hooks",
  "agent/options",
  "agent/state",
  "agent/context",
  "agent/daemon",
  "agent/completion",
  "agent/why",
  "agent/machine",
  "agent",
  "mcp",
  "skills",
  "work",
  "threads",
  "writing",
  "eval",
  "builtins",
  "tools",
  "manifest",
  "program",
  "run/setup",
  "eval/local",
  "tools/torture",
  "run",
  "tools/local",
  "server",
  "server/local",
  "work/service",
  "writing/local",
  "acp",
  "library",
  "lsp",
  "executable",
  "cluster",
  "cli",
];

/** The entry of `order` that a file belongs to; "" for the files right below `src/`. */
const unit = (path: string): string =>
  order.reduce(
    (found, entry) =>
      entry.length > found.length && (path === entry || path.startsWith(`${entry}/`)) ? entry : found,
    "",
  );

/** Upward imports of types that are still to go; none may come. */
const upward: ReadonlySet<string> = new Set(["interp -> host"]);

/** The only folders that may touch Node, the network, the clock or randomness. */
const outside = [
  "process/",
  "store/",
  "host/",
  "model/llm/",
  "manifest/",
  "program/",
  "run/",
  "eval/local/",
  "tools/torture/",
  "tools/local/",
  "mcp/serve/",
  "server/",
  "work/service/",
  "writing/local/",
  "acp/",
  "library/",
  "lsp/",
  "executable/",
  "cluster/",
  "cli/",
];
const isOutside = (path: string): boolean => outside.some((prefix) => path.startsWith(prefix));

/** Texts may name what code may not use: `process.exec` is an operation of the host. */
const withoutStrings = (code: string): string => code.replace(/"(?:[^"\\\n]|\\.)*"/g, '""');

const viewerRoot = join(sourceRoot, "../viewer");
const files = sourceFiles();
const edges = files.flatMap(importsOf);
const folder = (path: string): string => (path.includes("/") ? path.slice(0, path.indexOf("/")) : "");
/**
 * Doors besides `index.ts`, so that a plain start loads neither workers nor the store nor, with a cached AST, the parser;
 * those of types that a folder above speaks of, so that no circle goes through an index; and those of the page.
 */
const sideDoors: ReadonlyMap<string, readonly string[]> = new Map([
  ["agent", ["checks/index.ts"]],
  ["diagnostics", ["nearest.ts"]],
  ["durable", ["conversation-states.ts", "limits.ts"]],
  ["effects", ["backoff.ts"]],
  [
    "eval",
    [
      "engine/index.ts",
      "report/index.ts",
      "local/index.ts",
      "local/run-in-program.ts",
      "local/transfer/index.ts",
    ],
  ],
  ["events", ["wire/index.ts"]],
  ["diagnostics", ["nearest.ts"]],
  [
    "host",
    [
      "ports.ts",
      "run-id.ts",
      "command/index.ts",
      "command/flags.ts",
      "containers/index.ts",
      "archives/index.ts",
    ],
  ],
  ["interp", ["runtime.ts", "task.ts"]],
  ["mcp", ["serve/index.ts"]],
  ["manifest", ["manifest-check.ts"]],
  ["run", ["start.ts", "begin-run.ts", "stop-requests.ts", "setup/index.ts", "setup/wire-models.ts"]],
  ["store", ["folders.ts", "files/whole-files.ts", "copies/index.ts"]],
  ["process", ["environment.ts", "made-process.ts"]],
  ["syntax", ["nodes.ts"]],
  ["table", ["builtin-spec.ts", "traits.ts"]],
  [
    "server",
    [
      "service/index.ts",
      "supervise/index.ts",
      "pdf/index.ts",
      "client.ts",
      "sent-events.ts",
      "local/index.ts",
      "local/library.ts",
      "local/pool/index.ts",
      "local/conversation-child.ts",
      "local/rebuild-log.ts",
    ],
  ],
  [
    "cluster",
    ["check.ts", "chunks/index.ts", "settings/index.ts", "job-child.ts", "signed-runs.ts", "worker.ts"],
  ],
  ["tools", ["torture/index.ts", "local/index.ts"]],
  ["values", ["json/json-value.ts", "json/whole-float.ts"]],
  ["work", ["session/index.ts", "service/index.ts", "daemons/daemon-owners.ts"]],
  ["writing", ["text/index.ts", "durable/index.ts", "formats/index.ts", "local/index.ts"]],
]);
const doors = (name: string): readonly string[] => [
  `${name}/index.ts`,
  "index.ts",
  ...(sideDoors.get(name) ?? []).map((door) => `${name}/${door}`),
];
const show = (edge: ImportEdge): string => `${edge.from} -> ${edge.to}`;

describe("layers", () => {
  it("reads the imports at all", () => {
    expect(files.length).toBeGreaterThan(20);
    expect(edges.length).toBeGreaterThan(files.length);
  });

  it("knows every folder of src/", () => {
    const unknown = new Set(
      files.map((file) => file.path).filter((path) => folder(path) !== "" && unit(path) === ""),
    );
    expect([...unknown]).toEqual([]);
  });

  it("src/README.md has the folders in this order", () => {
    const rows = [...readFileSync(join(sourceRoot, "README.md"), "utf8").matchAll(/^\| `(\w+)\/` \|/gm)].map(
      ([, name]) => name,
    );
    const there = new Set(files.map(({ path }) => folder(path)).filter((name) => name !== ""));
    expect(rows).toEqual(order.filter((entry) => there.has(entry)));
  });

  it("imports point one way", () => {
    const wrong = edges.filter((edge) => {
      if (!edge.relative || edge.dynamic) return false;
      const from = unit(edge.from);
      const to = unit(edge.to);
      if (from === "" || from === to) return false;
      if (edge.typeOnly && upward.has(`${from} -> ${to}`)) return false;
      return to === "" || order.indexOf(to) > order.indexOf(from);
    });
    expect(wrong.map(show)).toEqual([]);
  });

  it("a folder is entered by its door only", () => {
    const wrong = edges.filter((edge) => {
      if (!edge.relative) return false;
      const to = folder(edge.to);
      return to !== folder(edge.from) && !doors(to).includes(edge.to);
    });
    expect(wrong.map(show)).toEqual([]);
  });

  it("imports stay inside src/", () => {
    expect(edges.filter((edge) => edge.relative && edge.to.startsWith("..")).map(show)).toEqual([]);
  });

  it("only the outer folders touch Node", () => {
    const wrong = edges.filter(
      (edge) => !edge.relative && edge.to.startsWith("node:") && !edge.typeOnly && !isOutside(edge.from),
    );
    expect(wrong.map(show)).toEqual([]);
  });

  it("only the outer folders use clock, randomness, timers, environment and network", () => {
    const forbidden =
      /\b(?:Date\.now|new Date\(\)|Math\.random|performance\.now|crypto\.(?:randomUUID|getRandomValues)|setTimeout|setInterval|setImmediate|process\.\w+|fetch\()/g;
    const wrong = files
      .filter((file) => folder(file.path) !== "" && !isOutside(file.path))
      .flatMap((file) =>
        [...withoutStrings(file.code).matchAll(forbidden)].map((match) => `${file.path}: ${match[0]}`),
      );
    expect(wrong).toEqual([]);
  });

  it("what the page has too imports nothing of the rest", () => {
    const shared =
      /^(?:(?:server\/protocol|events\/wire|writing\/text)\/|(?:durable\/(?:conversation-states|limits)|values\/json\/json-value|effects\/backoff|source\/line-patch)\.ts$)/;
    const wrong = edges.filter((edge) => edge.relative && shared.test(edge.from) && !shared.test(edge.to));
    expect(wrong.map(show)).toEqual([]);
  });

  it("the page imports what it shares with the server, and nothing else of src/", () => {
    const names = readdirSync(viewerRoot, { recursive: true, encoding: "utf8" });
    const wrong = names
      .filter((name) => /\.tsx?$/.test(name))
      .flatMap((name) =>
        [...readFileSync(join(viewerRoot, name), "utf8").matchAll(/["'](?:\.\.\/)+src\/([^"']+)["']/g)]
          .map(([, to = ""]) => to)
          .filter(
            (to) =>
              !/^(?:server\/(?:protocol\/|client\.ts$)|writing\/text\/|(?:effects\/backoff|source\/line-patch)\.ts$)/.test(
                to,
              ),
          )
          .map((to) => `viewer/${name} -> ${to}`),
      );
    expect(names.length).toBeGreaterThan(30);
    expect(wrong).toEqual([]);
  });

  it("no folder holds more than 25 files", () => {
    const counts = new Map<string, number>();
    for (const { path } of files) {
      const at = path.lastIndexOf("/");
      if (at > 0) counts.set(path.slice(0, at), (counts.get(path.slice(0, at)) ?? 0) + 1);
    }
    expect([...counts].filter(([, count]) => count > 25)).toEqual([]);
  });

  it("no code is made from text", () => {
    const wrong = files.flatMap((file) =>
      [...file.code.matchAll(/\beval\(|\bnew Function\(/g)].map((match) => `${file.path}: ${match[0]}`),
    );
    expect(wrong).toEqual([]);
  });

  it("there are no circles of imports; those of types and of loading on demand count", () => {
    const graph = new Map<string, string[]>();
    for (const edge of edges)
      if (edge.relative) graph.set(edge.from, [...(graph.get(edge.from) ?? []), edge.to]);
    expect(circles(graph)).toEqual([]);
  });
});

/** The groups of files that reach each other (Tarjan). */
function circles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const open = new Set<string>();
  const found: string[][] = [];
  const lower = (node: string, to: number): void => void low.set(node, Math.min(low.get(node) as number, to));
  const walk = (node: string): void => {
    index.set(node, index.size);
    low.set(node, index.get(node) as number);
    stack.push(node);
    open.add(node);
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) {
        walk(next);
        lower(node, low.get(next) as number);
      } else if (open.has(next)) lower(node, index.get(next) as number);
    }
    if (low.get(node) !== index.get(node)) return;
    const group = stack.splice(stack.indexOf(node));
    for (const one of group) open.delete(one);
    // A file that imports itself is one, too.
    if (group.length > 1 || graph.get(node)?.includes(node) === true) found.push(group);
  };
  for (const node of graph.keys()) if (!index.has(node)) walk(node);
  return found;
}
