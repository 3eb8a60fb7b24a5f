/** The hermetic machine: nothing gets in or out, twice the same, and no time is lost. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { LiveEffects } from "../../../../src/effects/index.ts";
import { createNodeHost, hermeticHost, hermeticSeed, nodeAtRest } from "../../../../src/host/index.ts";
import { runScript } from "../../../support/run-script.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const freshFolder = tempFolders("hermetic");

const run = (text: string, host = hermeticHost()) =>
  runScript(text, {
    runtime: { host, effects: new LiveEffects({ atRest: nodeAtRest(), seed: hermeticSeed }) },
  });

describe("a hermetic run", () => {
  it("is the same each time: time, order, ids, random numbers", async () => {
    const text = `println(date_now_iso())
parallel each [3, 1, 2] { n -> sleep(n * 1000 * 3600)
  println("\${n} \${now_ms()}") }
println([uuid(), uuid_v7(), random_int(1, 1000000), trace_start("x").trace_id, mkdtemp(), pid(), hostname()])
println(elapsed())`;
    // Hours by its own clock: one that waited for them would not come to an end here.
    const [first, second] = [await run(text), await run(text)];
    expect(first.error).toBe("");
    expect(first.stdout).toContain("2026-01-01T00:00:00.000Z");
    expect(second.stdout).toBe(first.stdout);
  });

  it("starts no program and reaches no network, with errors that can be caught", async () => {
    const text = `println(try { exec("ls") } catch (e) { e })
println(try { http_get("http://127.0.0.1:1/?key=x") } catch (e) { e })
http_mock("GET", "http://a.test", {body: "mocked"})
println(http_get("http://a.test").body)`;
    expect((await run(text)).stdout).toBe(
      "exec failed: process spawn failed: Operation not permitted: 'ls' is not started in a hermetic run\n" +
        "http: request failed: network is unreachable in a hermetic run (127.0.0.1:1)\nmocked\n",
    );
  });

  it("asks no model, also one that is on this machine", async () => {
    const text = `println(try { llm_call("x", nil, {provider: "local", model: "m", base_url: "http://127.0.0.1:9/v1"}) } catch (e) { e.message })`;
    expect((await run(text)).stdout).toContain("cannot connect (ENETUNREACH)");
  });

  it("has standard input and environment as given", async () => {
    const host = hermeticHost({ stdin: "a\nb\n", env: new Map([["K", "v"]]), cwd: "/here" });
    expect(
      (await run('println([read_line(), read_stdin(), env("K"), env("PATH"), cwd()])', host)).stdout,
    ).toBe("[a, b\n, v, nil, /here]\n");
  });
});

describe("a project that shows through", () => {
  let root = "";
  beforeAll(() => {
    root = freshFolder();
    mkdirSync(join(root, "sub/deep"), { recursive: true });
    writeFileSync(join(root, "a.txt"), "disk");
    writeFileSync(join(root, "sub/b.txt"), "b");
    writeFileSync(join(root, "sub/deep/c.txt"), "c");
  });
  const machine = () => hermeticHost({ cwd: root, base: { files: createNodeHost().files, root } });

  it("can be read, and is never written", async () => {
    const text = `println([read_file("a.txt"), read_file("sub/deep/c.txt"), file_exists("none")])
write_file("a.txt", "memory")
append_file("sub/b.txt", "+")
write_file("sub/new.txt", "n")
println([read_file("a.txt"), read_file("sub/b.txt"), list_dir("sub")])
delete_file("sub/deep")
println([file_exists("sub/deep/c.txt"), list_dir("sub")])
move_file("sub", "moved")
println([file_exists("sub"), list_dir("moved"), list_dir(".")])
mkdir("sub/deep")
println([list_dir("sub/deep"), stat("a.txt").modified])`;
    expect((await run(text, machine())).stdout).toBe(
      "[disk, c, false]\n[memory, b+, [b.txt, deep, new.txt]]\n[false, [b.txt, new.txt]]\n" +
        "[false, [b.txt, new.txt], [a.txt, moved]]\n[[], 1767225600.0]\n",
    );
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("disk");
    expect(readFileSync(join(root, "sub/deep/c.txt"), "utf8")).toBe("c");
  });

  it("shows nothing of the rest of the disk", async () => {
    expect((await run('println([file_exists("/etc/passwd"), file_exists("/usr")])', machine())).stdout).toBe(
      "[false, false]\n",
    );
  });
});
