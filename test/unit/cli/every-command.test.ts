/** The table of commands: each row says all that help, the pages and people need, and its examples are command lines that it takes. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Command as Commander, CommanderError } from "commander";
import { describe, expect, it } from "vitest";
import { type Command, command } from "../../../src/cli/commands/command.ts";
import { addCommands, table } from "../../../src/cli/commands/tree.ts";
import { bool } from "../../../src/host/command/flags.ts";
import { projectRoot } from "../../support/project.ts";

const tests = readdirSync(join(projectRoot, "test"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !/every-(command|flag)\.test\.ts$/.test(name))
  .map((name) => readFileSync(join(projectRoot, "test", name), "utf8"));

/** A command is tried where a test has its words as arguments, or as a line that a person would type. */
const isTried = ({ name }: Pick<Command, "name">): boolean =>
  tests.some(
    (text) => text.includes(`harn ${name}`) || name.split(" ").every((word) => text.includes(`"${word}"`)),
  );

/** What a row lacks, as what is to be written. */
function lacks(row: Command, tried = isTried(row)): string[] {
  if (row.hidden === true) return [];
  const { name, summary, examples = [], readme = [], run } = row;
  return [
    ...(/^[A-Z].*[.?]$/su.test(summary)
      ? []
      : [`a \`summary\` of whole sentences: what \`harn ${name}\` does`]),
    ...(run === undefined || examples.length > 0 ? [] : [`an example: \`examples: ["harn ${name} …"]\``]),
    ...(name.includes(" ") || readme.length > 0
      ? []
      : [`a row for README.md: \`readme: [["\`harn ${name}\`", "what it does"]]\`, then \`npm run docs\``]),
    ...(run === undefined || tried ? [] : [`a test that calls \`harn ${name}\`, in test/unit/cli/`]),
    ...Object.entries(row.flags)
      .filter(([, { doc }]) => doc.length < 4)
      .map(([key]) => `what the flag ${key} is for`),
  ];
}

const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");

/** Which command a line would run; a text where it is refused. */
async function ranBy(line: string, rows: readonly Command[] = table): Promise<string> {
  const [harn, ...all] = wordsOf(line.replace(/^eval "\$\((.*)\)"$/, "$1"));
  const args = all.includes("--") ? all.slice(0, all.indexOf("--")) : all;
  let ran = "";
  let said = "";
  const program = new Commander("harn").exitOverride().configureOutput({
    writeOut: (text) => {
      said += text;
    },
    writeErr: (text) => {
      said += text;
    },
  });
  const note = (name: string) => (): number => {
    ran = name;
    return 0;
  };
  const noted = rows.map((row) => (row.run === undefined ? row : { ...row, run: note(row.name) }));
  addCommands(program, noted, { script: [], program, runCommands: () => Promise.resolve(0) }, () => {});
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return said;
    return error instanceof Error ? error.message : String(error);
  }
  return harn === "harn" ? ran : "not a line of harn";
}

describe.each(table.map((row) => [row.name, row] as const))("harn %s", (name, row) => {
  it("has all that it must have", () => expect(lacks(row)).toEqual([]));

  it("takes its examples", async () => {
    for (const line of row.examples ?? []) expect(await ranBy(line), line).toBe(name);
  });

  it("shows its help", async () => {
    const help = await ranBy(`harn ${name} --help`);
    expect(help.replaceAll(/\s+/g, " ")).toContain(row.summary.replaceAll(/\s+/g, " "));
    for (const line of row.examples ?? []) expect(help).toContain(line);
  });
});

describe("the table", () => {
  it("names each command once, after the one above it", () => {
    const names = table.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const [at, name] of names.entries())
      if (name.includes(" ")) expect(names.slice(0, at)).toContain(name.slice(0, name.lastIndexOf(" ")));
  });

  it("a command that lacks something is red, and says what to write", () => {
    const bare = command({ name: "frobnicate", summary: "it", flags: { hard: bool("x") }, run: () => 0 });
    expect(lacks(bare, false)).toEqual([
      "a `summary` of whole sentences: what `harn frobnicate` does",
      'an example: `examples: ["harn frobnicate …"]`',
      'a row for README.md: `readme: [["`harn frobnicate`", "what it does"]]`, then `npm run docs`',
      "a test that calls `harn frobnicate`, in test/unit/cli/",
      "what the flag hard is for",
    ]);
  });

  it("an example that is wrong is noticed", async () => {
    expect(await ranBy("harn runs show last --cal 2")).toContain("unknown option '--cal'");
    expect(await ranBy("harn bench -n 0 a.harn")).toBe("-n: expected a whole number from 1 to 100000, got 0");
  });
});
