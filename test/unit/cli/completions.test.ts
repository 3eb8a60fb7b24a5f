/** `harn completions`: what the shells are told comes from the tree of commands, and bash offers it. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { commands } from "../../../src/cli/commands/tree.ts";
import { completionsText } from "../../../src/cli/completions/completions-text.ts";
import { type CompletionPlace, completionPlaces } from "../../../src/cli/completions/places.ts";
import { harnHere } from "../../support/harn-here.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("completions");
const program = commands([], () => {});
const places = completionPlaces(program);
const file = join(folder, "harn.bash");
writeFileSync(file, completionsText("bash", program));

/** What bash offers with the cursor behind the last of the words. */
function offered(...words: string[]): string[] {
  const done = spawnSync(
    "bash",
    [
      "--norc",
      "-c",
      'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _harn; printf "%s\\n" "${COMPREPLY[@]}"',
      file,
      "harn",
      ...words,
    ],
    { encoding: "utf8" },
  );
  expect({ stderr: done.stderr, status: done.status }).toEqual({ stderr: "", status: 0 });
  return done.stdout.split("\n").filter((line) => line !== "");
}

const placeOf = (path: string): CompletionPlace => places.find((place) => place.path === path)!;
const namesAt = (path: string): string[] => placeOf(path).commands.map(({ name }) => name);

describe("bash", () => {
  it("offers every command that is not hidden", () => {
    const shown = program.commands
      .map((command) => command.name())
      .filter((name) => !name.endsWith("-worker"));
    expect(offered("").sort()).toEqual([...shown, "help"].sort());
    expect(offered("")).toEqual(namesAt(""));
    expect(offered("tr")).toEqual(["trace", "trust"]);
  });

  it("offers commands below commands, and what `help` can tell of", () => {
    expect(offered("runs", "")).toEqual(namesAt("/runs"));
    expect(offered("skill", "key", "")).toContain("generate");
    expect(offered("help", "com")).toEqual(["completions"]);
  });

  it("offers the flags of a command, its own only", () => {
    expect(offered("fmt", "--ch")).toEqual(["--check"]);
    expect(offered("runs", "show", "--")).toContain("--json");
    expect(offered("runs", "show", "--")).not.toContain("--keep");
    expect(offered("run", "--no-")).toEqual(["--no-record"]);
  });

  it("offers the values of arguments and flags of which there are only some", () => {
    expect(offered("completions", "")).toEqual(["bash", "zsh", "fish"]);
    expect(offered("init", "--template", "d")).toEqual(["daemon"]);
    expect(offered("init", "--template", "=", "l")).toEqual(["library"]);
    expect(offered("init", "--template", "=")).toEqual(["agent", "eval", "daemon", "library", "typescript"]);
  });

  it("a flag's value is no command; files are left to the shell", () => {
    expect(offered("run", "--tape", "")).toEqual([]);
    expect(offered("run", "--tape", "check", "--qu")).toEqual(["--quiet"]);
    expect(offered("run", "--tape=check", "--qu")).toEqual(["--quiet"]);
    expect(offered("run", "--tape", "=", "check", "--qu")).toEqual(["--quiet"]);
    expect(offered("run", "x.harn", "--", "--qu")).toEqual([]);
    expect(offered("check", "")).toEqual([]);
  });
});

describe("completions", () => {
  it("a new command is in all of them without a line more", () => {
    const other = new Command("harn");
    other.command("frobnicate").description("It's new.").option("--hard <how>", "how; at most so");
    for (const shell of ["bash", "zsh", "fish"] as const) {
      const text = completionsText(shell, other);
      expect(text).toContain("frobnicate");
      expect(text).toContain(shell === "fish" ? "-l hard -r" : "--hard");
    }
    expect(completionsText("zsh", other)).toContain("'frobnicate:It'\\''s new'");
    expect(completionsText("fish", other)).toContain("'It\\'s new'");
  });

  it("the command prints them; another shell is refused with the names of those there are", async () => {
    expect(await harnHere(["completions", "bash"])).toEqual({
      stdout: completionsText("bash", program),
      stderr: "",
      status: 0,
      signal: null,
    });
    const none = await harnHere(["completions", "tcsh"]);
    expect(none.status).toBe(2);
    expect(none.stderr).toContain("bash, zsh, fish");
  });

  for (const shell of ["zsh", "fish"] as const) {
    const there = spawnSync(shell, ["--version"]).status === 0;
    it.skipIf(!there)(`${shell} can read them`, () => {
      const path = join(folder, `harn.${shell}`);
      writeFileSync(path, completionsText(shell, program));
      expect(spawnSync(shell, ["-n", path], { encoding: "utf8" })).toMatchObject({ stderr: "", status: 0 });
    });
  }
});
