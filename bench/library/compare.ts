/**
 * The same program (a tool, streamed events, a signal that cancels, a typed answer) in other libraries and in ours, as a table.
 *
 *   node bench/library/compare.ts                    prints it
 *   node bench/library/compare.ts --write            puts it between the marks of docs/library.md
 *   node bench/library/compare.ts --tarball FILE     of a package that is packed already
 *
 * Installs below the temporary folder (`harn-bench-library`), once for each version; LangGraph's SQLite is compiled, which takes
 * minutes. Models are mocks; nothing but the installation needs a network. Figures are medians of rounds in which all take turns.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { median } from "../rows.ts";
import {
  type Framework,
  frameworks,
  linesOf,
  sourceOf,
  withWritingTool,
  withWrongTool,
} from "./frameworks.ts";
import { compilers, folderOf, install, installed } from "./install.ts";
import {
  type AfterKill,
  afterKill,
  type Cancelled,
  cancelled,
  importTime,
  programTime,
  typeCheck,
  writeImports,
} from "./measures.ts";

const rounds = 9;
const [[version, compiler] = ["", ""], [olderVersion, olderCompiler] = ["", ""]] = [...compilers];

interface Figures {
  readonly imports: number[];
  readonly programs: number[];
  readonly checks: number[];
  instantiations: number;
  /** By compiler. */
  readonly wrongTool: string[];
  cancelled?: Cancelled;
  killed?: AfterKill;
  writerKilled?: AfterKill;
}

const source = (framework: Framework): string => sourceOf(framework, "program.ts") ?? "";

/** What all take turns in. */
async function timed(figures: ReadonlyMap<Framework, Figures>): Promise<void> {
  for (let round = 0; round < rounds; round++)
    for (const [framework, own] of figures) {
      const folder = folderOf(framework);
      own.imports.push(await importTime(folder));
      own.programs.push(await programTime(folder));
      const { ms, instantiations, text } = await typeCheck(folder, compiler, "tsconfig.json");
      if (text !== "") throw new Error(`${framework.name}: ${text}`);
      own.checks.push(ms);
      own.instantiations = instantiations;
    }
}

/** What does not depend on the machine. */
async function judged(framework: Framework, own: Figures): Promise<void> {
  const folder = folderOf(framework);
  for (const one of [compiler, olderCompiler])
    own.wrongTool.push((await typeCheck(folder, one, "tsconfig.wrong.json")).text);
  own.cancelled = await cancelled(folder);
  const durable = sourceOf(framework, "durable.ts");
  own.killed = await afterKill(folder, durable === undefined ? "program.ts" : "durable.ts");
  const writer = withWritingTool(durable ?? "");
  if (writer === (durable ?? "")) own.writerKilled = own.killed;
  else {
    writeFileSync(join(folder, "writer.ts"), writer);
    own.writerKilled = await afterKill(folder, "writer.ts");
  }
}

function prepare(framework: Framework, tarball: string | undefined): Figures {
  install(framework, tarball);
  const wrong = withWrongTool(source(framework));
  if (wrong === source(framework)) throw new Error(`${framework.name}: its tool gives no \`degrees\``);
  writeFileSync(join(folderOf(framework), "wrong.ts"), wrong);
  writeImports(folderOf(framework), source(framework));
  return { imports: [], programs: [], checks: [], instantiations: Number.NaN, wrongTool: [] };
}

// ── the table ───────────────────────────────────────────────────────────────────────────────────────────────────────

const whole = (value: number): string => Math.round(value).toLocaleString("en");

const errorsIn = (text: string): number => [...text.matchAll(/error TS\d+/g)].length;

function wrongToolText({ wrongTool: [now = "", before = ""] }: Figures): string {
  const one = (text: string): string =>
    text === ""
      ? "not reported"
      : `${whole(text.length)} characters, ${errorsIn(text)} error${errorsIn(text) === 1 ? "" : "s"}`;
  return one(now) === one(before) ? one(now) : `${one(now)}; ${olderVersion}: ${one(before)}`;
}

const quoted = (error: string): string =>
  `\`${error
    .replace(/run-[\d-]+-\w+/, "run-…")
    .replaceAll(/[`|]/g, "'")
    .slice(0, 90)}${error.length > 90 ? "…" : ""}\``;

function cancelText({ cancelled: ended }: Figures): string {
  if (ended === undefined) return "";
  const tool = ended.toolHears ? "the tool is told" : "the tool goes on";
  return `${tool}; ${ended.error === "" ? `the program ends with ${ended.code}` : quoted(ended.error)}`;
}

function killText(after: AfterKill | undefined): string {
  if (after === undefined) return "";
  const { modelCalls, toolCalls, isAnswered, error } = after;
  const again = toolCalls === 0 ? "the tool is not called" : "the tool is called again, unasked";
  if (!isAnswered) return `${again}; ${quoted(error)}`;
  return `${modelCalls >= 2 ? "all over again" : "the first call of the model is kept"}; ${again}; the answer comes`;
}

function table(all: ReadonlyMap<Framework, Figures>): string {
  const line = (name: string, cell: (framework: Framework, figures: Figures) => string): string =>
    `| ${[name, ...[...all].map(([framework, figures]) => cell(framework, figures))].join(" | ")} |`;
  const lines = (framework: Framework): string => {
    const durable = sourceOf(framework, "durable.ts");
    return `${linesOf(source(framework))}${durable === undefined ? "" : ` (${linesOf(durable)})`}`;
  };
  return [
    line("", ({ name }) => name),
    `|---${"|---".repeat(all.size)}|`,
    line("version", ({ packages: [first] }) => (first ?? "this one").replace(/^.*@/, "")),
    line("lines (with going on after a kill)", lines),
    line("`import`, beyond bare Node", (_, { imports }) => `${whole(median(imports))} ms`),
    line("the whole program", (_, { programs }) => `${whole(median(programs))} ms`),
    line(
      `types checked, TypeScript ${version}`,
      (_, own) => `${whole(median(own.checks))} ms, ${whole(own.instantiations)} instantiations`,
    ),
    line("a tool gives a text where its schema says a number", (_, own) => wrongToolText(own)),
    line("the signal aborts in the tool", (_, own) => cancelText(own)),
    line("`kill -9` in the tool, started again", (_, own) => killText(own.killed)),
    line("the same, with a tool that must not be called twice", (_, own) => killText(own.writerKilled)),
    line("installed", (framework) => {
      const { megabytes, packages } = installed(framework);
      return `${whole(megabytes)} MB, ${packages} packages`;
    }),
  ].join("\n");
}

const marks = ["<!-- made by bench/library/compare.ts -->", "<!-- end of the table -->"] as const;

/** Puts the table where it belongs: the page of the library, else beside the programs. */
function write(text: string): string {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const [start, end] = marks;
  const page = [join(root, "docs/library.md"), join(root, "bench/library/README.md")].find(
    (path) => existsSync(path) && readFileSync(path, "utf8").includes(start),
  );
  if (page === undefined) throw new Error(`no page has the marks ${start} and ${end}`);
  const [before = "", rest = ""] = readFileSync(page, "utf8").split(start);
  writeFileSync(page, `${before}${start}\n\n${text}\n\n${end}${rest.split(end)[1] ?? ""}`);
  return page;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { write: { type: "boolean" }, tarball: { type: "string" } } });
  const figures = new Map(frameworks.map((framework) => [framework, prepare(framework, values.tarball)]));
  const loadBefore = loadavg()[0] ?? 0;
  await timed(figures);
  const loadAfter = loadavg()[0] ?? 0;
  for (const [framework, own] of figures) await judged(framework, own);
  const when = new Date().toISOString().slice(0, 16).replace("T", ", ");
  const note =
    `Measured ${when} UTC with mocks: ${cpus().length} cores (${cpus()[0]?.model.trim()}), Node ${process.versions.node}, load ` +
    `${loadBefore.toFixed(1)} to ${loadAfter.toFixed(1)}, medians of ${rounds} rounds in which all take turns. ` +
    "LangGraph with `createAgent` of `langchain`; checked with `skipLibCheck`.";
  const text = `${table(figures)}\n\n${note}`;
  console.log(text);
  if (values.write === true) console.error(`written to ${write(text)}`);
}

await main();
