/** Attack 43: what runs leave behind in files holds no secret of the environment, and nobody else can read it. */
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import type { CliResult } from "../../support/command-environment.ts";
import { harnHere } from "../../support/harn-here.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("rest");

const secret = 'tok"zQ7xW\\hidden';
const env = { SERVICE_TOKEN: secret };
const traces = [
  secret,
  JSON.stringify(secret).slice(1, -1),
  "zQ7xW",
  Buffer.from(secret).toString("base64").slice(0, 12),
];

let projects = 0;

function project(
  script: string,
  more: Readonly<Record<string, string>> = {},
): { cwd: string; run(...args: string[]): Promise<CliResult>; files(): string[] } {
  const cwd = join(folder, `p${projects++}`);
  mkdirSync(cwd);
  writeFileSync(join(cwd, "a.harn"), script);
  const files = (): string[] =>
    readdirSync(cwd, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== "a.harn")
      .map((entry) => relative(cwd, join(entry.parentPath, entry.name)));
  return { cwd, run: (...args) => harnHere(args, { cwd, env: { ...env, ...more } }), files };
}

/** Every file but those that the program wrote itself. */
function expectClosed(one: ReturnType<typeof project>, own: readonly string[] = []): void {
  for (const file of one.files().filter((name) => !own.includes(name))) {
    const text = readFileSync(join(one.cwd, file), "latin1");
    for (const trace of traces) expect(text.includes(trace), `${file} holds ${trace}`).toBe(false);
    expect(`${file} ${(lstatSync(join(one.cwd, file)).mode & 0o777).toString(8)}`).toBe(`${file} 600`);
  }
}

const head = 'let t = env("SERVICE_TOKEN")\nlet odd = "{{secret:SERVICE_TOKEN}} {{secret*:X}}"\n';

describe("what is written and read again", () => {
  it.each([
    ["--no-record", "file"],
    ["--quiet", "sqlite"],
  ])("stores, checkpoints, metadata, event logs, caches, friction (%s)", async (flag) => {
    const one = project(
      `${head}store_set("k", {token: t, odd: odd, bytes: base64_encode("xx" + t)})
checkpoint("c", [t, odd])
metadata_set(".", "facts", {note: t})
metadata_save()
event_log_emit("topic", "kind", {t: t, odd: odd})
println(event_log_latest("topic") != nil)
friction_record({kind: "tool_gap", redacted_summary: "it said " + t}, {log_path: "friction.jsonl"})
sqlite_cache_put("cache.db", "n", "k", [t, odd], 1, 10)
sqlite_cache_put("cache.db", "of " + t, "by " + t, 1, 1, 10)
println(sqlite_cache_get("cache.db", "of " + t, "by " + t).value == 1)
println(sqlite_cache_clear("cache.db", "of " + t) == 1)
sqlite_cache_put("cache.db", "of " + t, "by " + t, 1, 1, 10)
println(store_get("k") == {token: t, odd: odd, bytes: base64_encode("xx" + t)})
println(checkpoint_get("c") == [t, odd])
println(sqlite_cache_get("cache.db", "n", "k").value == [t, odd])`,
    );
    expect(await one.run("run", flag, "a.harn")).toMatchObject({ status: 0, stdout: "true\n".repeat(6) });
    expect(one.files()).toEqual(expect.arrayContaining([".harn/store.json", "friction.jsonl", "cache.db"]));
    expectClosed(one);
    // Another run gets what was stored.
    writeFileSync(
      join(one.cwd, "a.harn"),
      `${head}println(store_get("k").token == t && store_get("k").odd == odd)`,
    );
    expect(await one.run("run", flag, "a.harn")).toMatchObject({ status: 0, stdout: "true\n" });
  });

  it("transcripts, run records and snapshots of workers", async () => {
    const one = project(
      `${head}llm_mock({text: "it is " + t})
llm_mock({text: "it is " + t})
llm_mock({text: "it is " + t})
agent_loop("say " + t, nil, {provider: "mock", llm_transcript_dir: "transcripts"})
let w = spawn_agent({task: "say " + t, node: {kind: "stage", mode: "agent", model_policy: {provider: "mock"}}})
wait_agent(w)
println("done")`,
    );
    expect(await one.run("run", "a.harn")).toMatchObject({ status: 0, stdout: "done\n" });
    expect(one.files().filter((name) => /workers|transcripts/.test(name)).length).toBeGreaterThan(1);
    expectClosed(one);
  });
});

describe("a file that others could have written", () => {
  it("is read as the text it is", async () => {
    const one = project('println(store_get("k"))');
    mkdirSync(join(one.cwd, ".harn"));
    const path = join(one.cwd, ".harn", "store.json");
    writeFileSync(path, JSON.stringify({ k: "{{secret:SERVICE_TOKEN}}" }));
    chmodSync(path, 0o644);
    expect(await one.run("run", "a.harn")).toMatchObject({ status: 0, stdout: "{{secret:SERVICE_TOKEN}}\n" });
  });
});

it("files that a program writes itself are not touched", async () => {
  const one = project(`${head}write_file("own.txt", t)`);
  expect((await one.run("run", "a.harn")).status).toBe(0);
  expect(readFileSync(join(one.cwd, "own.txt"), "utf8")).toBe(secret);
  expectClosed(one, ["own.txt"]);
});

describe("rows of the embedded store", () => {
  it("hold what was said to a session and what it said by the names of secrets", async () => {
    const one = project(`let run = session_run({provider: "mock", system: "You help."})
println("said " + run.text)
println(run.text.contains(env("SERVICE_TOKEN")))`);
    const answer = join(folder, "answer.jsonl");
    writeFileSync(answer, `${JSON.stringify({ text: `I have noted ${secret}.` })}\n`);
    expect((await one.run("session", "new", "s", "a.harn")).status).toBe(0);
    expect(
      (await one.run("session", "send", "s", `keep ${secret} and {{secret:SERVICE_TOKEN}}`)).status,
    ).toBe(0);
    const shown = await one.run("session", "show", "s");
    expect(shown.stdout).toContain(`keep ${secret} and {{secret:SERVICE_TOKEN}}`);
    const run = await one.run("session", "run", "s", "--llm-mock", answer);
    expect(run.stdout).toContain("true\n");
    expectClosed(one);
    expect((await one.run("session", "show", "s")).stdout).toContain(`I have noted ${secret}.`);
  });

  it("hold what people answer by the names of secrets, and the run gets it as it was said", async () => {
    const one = project('println(ask_user("which?") == env("SERVICE_TOKEN"))');
    expect((await one.run("run", "a.harn")).status).toBe(75);
    expect((await one.run("hitl", "answer", "last", JSON.stringify(secret))).status).toBe(0);
    expectClosed(one);
    expect(await one.run("run", "--resume", "last")).toMatchObject({ status: 0, stdout: "true\n" });
    expectClosed(one);
  });

  it("stay names where others could have written the store", async () => {
    const one = project("");
    await one.run("session", "new", "s", "a.harn");
    await one.run("session", "send", "s", `keep ${secret}`);
    chmodSync(join(one.cwd, ".harn", "state.db"), 0o644);
    expect((await one.run("session", "show", "s")).stdout).not.toContain("zQ7xW");
  });
});
