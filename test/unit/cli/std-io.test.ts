/** std/io with a standard input of its own: lines, what is not shown, time that runs out. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cleanEnvironment } from "../../support/command-environment.ts";
import { launcher } from "../../support/project.ts";
import { harn } from "../../support/run-cli.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("std-io");

function program(text: string): string {
  const file = join(folder, `p${text.length}.harn`);
  writeFileSync(file, `import { read_line, read_password } from "std/io"\n${text}\n`);
  return file;
}

test("prompts stand on standard error, lines come as results", () => {
  const file = program(`println(read_line({prompt: "name? "}))
println(read_password({prompt: "word? "}).value == " s e ")
println(read_line())
println(read_line())`);
  const done = harn(["run", "--no-record", file], { input: " ann \n s e \nlast" });
  expect(done.stdout).toBe(
    "{ok: true, status: ok, value: ann}\ntrue\n{ok: true, status: ok, value: last}\n{ok: false, status: eof}\n",
  );
  expect(done.stderr).toBe("name? word? ");
});

test("a read that runs out of time leaves the line for the next", async () => {
  const file = program(`println(read_line({timeout_ms: 50}).status)
println(read_line().value)`);
  const child = spawn(launcher, ["run", "--no-record", file], { env: cleanEnvironment() });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    if (stdout === "timeout\n") child.stdin.end("late\n");
  });
  const status = await new Promise((resolve) => child.on("close", resolve));
  expect({ stdout, status }).toEqual({ stdout: "timeout\nlate\n", status: 0 });
});
