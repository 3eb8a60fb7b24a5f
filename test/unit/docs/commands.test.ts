/** Command lines that README.md and docs/ show: the commands and their flags exist. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { commands } from "../../../src/cli/commands/tree.ts";
import { docPages } from "../../support/doc-pages.ts";
import { projectRoot } from "../../support/project.ts";

const program = commands([], () => {});

/** Its own, and those of the command that it stands for when none is named. */
const flagsOf = (command: Command): string[] => [
  ...command.options.flatMap(({ long }) => (long === null || long === undefined ? [] : [long])),
  ...(command.name() === "eval" ? flagsOf(command.commands[0] as Command) : []),
];

/** What is wrong with `harn WORDS`; `undefined` when nothing is. */
function wrongLine(words: readonly string[]): string | undefined {
  let command: Command = program;
  const flags: string[] = ["--help", "--version"];
  for (const word of words) {
    if (word.startsWith("--")) {
      const [name = ""] = word.split("=");
      if (name !== "--" && !flags.includes(name)) return `no flag ${name}`;
      if (name === "--") return undefined;
      continue;
    }
    if (command.commands.length === 0 || !/^[a-z][a-z-]*$/.test(word)) continue;
    const next = command.commands.find((one) => one.name() === word);
    // `harn eval TARGET` is `harn eval run TARGET`.
    if (next === undefined && command.name() === "eval") continue;
    if (next === undefined) return word === "help" ? undefined : `no command ${word}`;
    command = next;
    flags.push(...flagsOf(command));
  }
  return undefined;
}

/** The command lines of a page: in code, up to a sign of the shell or the end of the span. */
function commandLines(page: string): { place: string; words: string[] }[] {
  let fenced = false;
  return readFileSync(join(projectRoot, page), "utf8")
    .split("\n")
    .flatMap((line, index) => {
      if (/^ *```/.test(line)) {
        fenced = !fenced;
        return [];
      }
      const spans =
        fenced || line.startsWith("    ")
          ? [line]
          : [...line.matchAll(/``(.*?)``|`([^`]*)`/g)].map((span) => span[1] ?? span[2]!);
      return spans.flatMap((span) => {
        const found = /^(?:\s*\$ |\s*|.*&& )(?:npx --no-install )?harn ([a-z][^#|;<>…]*)/.exec(span);
        const words = (found?.[1] ?? "")
          .trim()
          .split(/\s+/)
          .filter((word) => word !== "");
        return words.length === 0 || words[0] === "error" ? [] : [{ place: `${page}:${index + 1}`, words }];
      });
    });
}

describe("command lines of the documentation", () => {
  const lines = docPages().flatMap(commandLines);

  it("are there", () => expect(lines.length).toBeGreaterThan(100));

  it("never let npx take a harn from elsewhere", () => {
    const wrong = docPages().flatMap((page) =>
      [
        ...readFileSync(join(projectRoot, page), "utf8").matchAll(
          /\bnpx ((?:-\S+ )*)harn\b|"npx", (?:args: )?\["harn"/g,
        ),
      ]
        .filter(([, flags = ""]) => !/--no-install|--package=\.\//.test(flags))
        .map(([line]) => `${page}: ${line}`),
    );
    expect(wrong).toEqual([]);
  });

  it("name commands and flags that exist", () => {
    const wrong = lines
      .map(({ place, words }) => ({ line: `${place}: harn ${words.join(" ")}`, why: wrongLine(words) }))
      .filter(({ why }) => why !== undefined);
    expect(wrong).toEqual([]);
  });

  it("what does not exist is noticed", () => {
    expect(wrongLine(["runs", "frobnicate"])).toBe("no command frobnicate");
    expect(wrongLine(["check", "--frobnicate", "x.harn"])).toBe("no flag --frobnicate");
    expect(wrongLine(["skill", "key", "generate", "me.pem"])).toBeUndefined();
  });
});
