/** What the compiler says of tools, TypeScript 7 and 5.9: what is right passes, what is wrong is one short error at `execute`. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compilers } from "../../../support/packed-package.ts";
import { projectRoot } from "../../../support/project.ts";

const run = (compiler: string, ...args: string[]): Promise<string> =>
  new Promise((resolve) => {
    execFile(process.execPath, [compiler, "--pretty", "false", ...args], (_failed, stdout) =>
      resolve(stdout),
    );
  });

/** Messages by the line that they stand at; what follows a message is part of it. */
function messages(stdout: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [text, file, line] of stdout.matchAll(/^(\S+)\((\d+),\d+\): error .*(?:\n .*)*/gm))
    found.set(`${file?.split("/").at(-1)}:${line}`, text.slice(text.indexOf("error ")));
  return found;
}

const fixtures = join(projectRoot, "test/types/tools");

describe.each(Object.entries(compilers))("%s", (_name, compiler) => {
  it("takes what fits; says in one line, at `execute`, what does not", async () => {
    const said = messages(await run(compiler, "-p", fixtures));
    const lines = readFileSync(join(fixtures, "wrong.ts"), "utf8").split("\n");
    const wanted = lines.flatMap((text, at) =>
      /^ {2}(async )?execute/.test(text) ? [`wrong.ts:${at + 1}`] : [],
    );
    expect([...said.keys()].sort()).toEqual([...wanted].sort());
    expect(wanted.length).toBe(11);
    for (const message of said.values()) {
      expect(message.split("\n").length, message).toBe(1);
      expect(message.length, message).toBeLessThan(300);
      expect(message).toContain("does not fit `output`");
    }
    expect([...said.values()].filter((message) => message.includes("see `population`")).length).toBe(1);
    expect([...said.values()].filter((message) => message.includes("see `where`")).length).toBe(1);
  });
});
