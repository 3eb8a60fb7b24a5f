/** What a user limits on the command line: capabilities, and hermetic tests, through the real launcher. */
import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { harnHere } from "../../support/harn-here.ts";
import { harn } from "../../support/run-cli.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("limits");

let folder = "";
beforeAll(() => {
  folder = freshFolder();
});

function script(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe("harn run --allow, --deny", () => {
  it("refuses with a code and says how to allow it", async () => {
    const run = await harnHere(["run", "--deny", "process", script("a.harn", 'exec("ls")')]);
    expect(run.status).toBe(1);
    expect(run.stderr).toContain(
      "error: Error [tool_rejected]: exec needs the capability process, which this run does not have; `deny` names process (HARN-STD-010)",
    );
    expect(run.stderr).toContain("a.harn:1:1");
  });

  it("takes lists in one flag or several, and replays the same decisions", async () => {
    const text = `for f in [{ -> read_file("/etc/none") }, { -> env("A") }, { -> exec("ls") }] {
  println(try { f() } catch (e) { contains(e, "needs the capability") })
}`;
    const path = script("b.harn", text);
    const journal = join(folder, "journal");
    const run = await harnHere(["run", "--allow", "fs.read", "--allow=env,net", "--record", journal, path]);
    expect(run.stdout).toBe("false\nnil\ntrue\n");
    const replay = await harnHere(["replay", journal]);
    expect([replay.stdout, replay.status]).toEqual([run.stdout, run.status]);
  });

  it("refuses lists that mean nothing", async () => {
    const run = await harnHere(["run", "--allow", "fs.raed", "-e", "1"]);
    expect([run.status, run.stderr]).toEqual([
      2,
      "harn: --allow: 'fs.raed' is neither a builtin nor a capability (fs.read, fs.write, net, process, env, model, people, fs, all, none); did you mean `fs.read`? (HARN-CLI-004)\n",
    ]);
  });
});

describe("limits of a run that has agents", () => {
  const agents = `fn tools() {
  return tool_define(tool_registry(), "look", "reads", {parameters: {}, handler: { args -> read_file("/etc/hostname") }})
}
fn script_answers() {
  llm_mock_clear()
  llm_mock({tool_calls: [{name: "look", arguments: {}}]})
  llm_mock({text: "done ##DONE##"})
}
fn model_saw_refusal() {
  return llm_mock_calls().any({ call -> contains(json_stringify(call), "needs the capability fs.read") })
}
script_answers()
agent_loop("go", nil, {provider: "mock", tools: tools(), max_iterations: 3})
println("loop \${model_saw_refusal()}")
script_answers()
sub_agent_run("go", {provider: "mock", tools: tools(), max_iterations: 3})
println("sub-agent \${model_saw_refusal()}")
script_answers()
let node = {kind: "stage", mode: "agent", model_policy: {provider: "mock"}, tools: tools()}
wait_agent(spawn_agent({task: "go", node: node}))
println("worker \${model_saw_refusal()}")
`;

  it("hold for tools of loops, sub-agents and workers", async () => {
    const path = script("agents.harn", agents);
    const allowed = await harnHere(["run", "--no-record", path]);
    expect([allowed.stdout, allowed.stderr]).toEqual(["loop false\nsub-agent false\nworker false\n", ""]);
    const denied = await harnHere(["run", "--no-record", "--deny", "fs.read", path]);
    expect([denied.stdout, denied.stderr]).toEqual(["loop true\nsub-agent true\nworker true\n", ""]);
  });

  it("hold for model calls that other builtins make, also on replay; the check names them", async () => {
    const call = `println(try {
  transcript_compact(add_user(add_user(transcript(), "a".repeat(500)), "b".repeat(9000)), {strategy: "llm", keep_last: 0})
} catch (e) { e })
`;
    const path = script("compact.harn", call);
    const journal = join(folder, "compact.journal");
    const run = await harnHere(["run", "--allow", "none", "--record", journal, path]);
    expect(run.stdout).toBe(
      "Error [tool_rejected]: llm.call needs the capability model, which this run does not have; `allow` does not name model\n",
    );
    expect((await harnHere(["replay", journal])).stdout).toBe(run.stdout);
    expect((await harnHere(["check", "--capabilities", path])).stdout).toContain(": model\n");
  });
});

describe("harn check --capabilities", () => {
  it("lists what a script needs, as text and as JSON", async () => {
    const path = script(
      "c.harn",
      'fn load() { return read_file("x") }\nload()\nhttp_get("https://a.test")\n',
    );
    const run = await harnHere(["check", "--capabilities", path]);
    expect(run.stdout).toBe(
      `${path}: fs.read, net\n  fs.read   read_file (${path}:1:20)\n  net       http_get (${path}:3:1)\n`,
    );
    const json = JSON.parse((await harnHere(["check", "--capabilities", "--json", path])).stdout) as {
      capabilities: string[];
    };
    expect(json.capabilities).toEqual(["fs.read", "net"]);
    const nothing = script("d.harn", "println(1)\n");
    expect((await harnHere(["check", "--capabilities", nothing])).stdout).toBe(
      `${nothing}: needs no capability\n`,
    );
  });
});

describe("harn test --hermetic", () => {
  it("reads the project, writes nothing, waits for nothing, and is the same each time", async () => {
    script(
      "h.harn",
      `pipeline test_all() {
  sleep(3600000)
  println("\${date_iso()} \${uuid()}")
  write_file("kept.txt", read_file("kept.txt") + "!")
  assert_eq(read_file("kept.txt"), "disk!")
  assert(is_err(try { exec("ls") }))
  assert_eq(env("HOME"), nil)
}
`,
    );
    script("kept.txt", "disk");
    const run = (): string => {
      const { stdout, status } = harn(["test", "--hermetic", "--verbose", "h.harn"], {
        cwd: folder,
      });
      expect(status).toBe(0);
      return /2026-01-01T01:00:00.000Z \S+/.exec(stdout)?.[0] ?? stdout;
    };
    expect(run()).toMatch(/^2026-01-01T01:00:00.000Z [0-9a-f-]{36}$/);
    expect(run()).toBe(run());
    const elsewhere = harn(["test", "--hermetic", "--verbose", join(folder, "h.harn")], {
      cwd: tmpdir(),
    }).stdout;
    expect(elsewhere).toContain(await run());
    expect(readFileSync(join(folder, "kept.txt"), "utf8")).toBe("disk");
  });
});
