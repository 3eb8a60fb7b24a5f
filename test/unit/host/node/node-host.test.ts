import { spawn, spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { createNodeHost } from "../../../../src/host/index.ts";

/** Runs a program that imports the host, in a process with its own standard input. */
function withInput(program: string, input: string): string {
  const source = `import { createNodeHost } from "./src/host/index.ts"; const host = createNodeHost(); ${program}`;
  const result = spawnSync(process.execPath, ["--input-type=module-typescript", "-e", source], {
    input,
    encoding: "utf8",
  });
  expect(result.stderr).toBe("");
  return result.stdout;
}

const lines =
  "for (let l = await host.readLine(); l !== undefined; l = await host.readLine()) console.log(JSON.stringify(l));";

describe("standard input", () => {
  it("comes in lines, without carriage returns, the last with or without its break", () => {
    expect(withInput(lines, "a\r\n\nb ü\nlast")).toBe('"a"\n""\n"b ü"\n"last"\n');
    expect(withInput(lines, "a\n")).toBe('"a"\n');
    expect(withInput(lines, "")).toBe("");
  });

  it("gives the rest after some lines, then nothing", () => {
    const program =
      "console.log(await host.readLine()); console.log(JSON.stringify(await host.readRest())); console.log(await host.readLine(), JSON.stringify(await host.readRest()));";
    expect(withInput(program, "a\nb\nc\n")).toBe('a\n"b\\nc\\n"\nundefined ""\n');
  });

  it("stops waiting when told to, loses no line, and lets the program end", async () => {
    const program =
      "const stop = AbortSignal.timeout(60); await host.readLine(stop).catch((e) => console.log(e.name)); host.readLine().then((l) => { console.log(l); process.stdin.pause(); });";
    const source = `import { createNodeHost } from "./src/host/index.ts"; const host = createNodeHost(); ${program}`;
    const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", source]);
    let output = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
      if (String(chunk).includes("TimeoutError")) child.stdin.write("late\n");
    });
    // Standard input stays open: only the program itself can end.
    const code = await new Promise((resolve) => child.once("exit", resolve));
    child.stdin.destroy();
    expect([output, code]).toEqual(["TimeoutError\nlate\n", 0]);
  });

  it("doesn't keep a program alive that never reads", () => {
    expect(withInput("console.log(host.pid > 0)", "")).toBe("true\n");
  });
});

describe("facts", () => {
  it("names system and processor as the language does", () => {
    const host = createNodeHost();
    expect(["linux", "darwin", "windows"]).toContain(host.os);
    expect(["x86_64", "aarch64"]).toContain(host.arch);
    expect(host.env.get("PATH")).toBe(process.env.PATH);
    expect(host.cwd).toBe(process.cwd());
  });

  it("loads libraries when asked", () => {
    const { libraries } = createNodeHost();
    expect(libraries.re2js().RE2JS.compile("a+").test("caat")).toBe(true);
    expect(libraries.minimatch().minimatch("a/b.ts", "**/*.ts")).toBe(true);
  });
});
