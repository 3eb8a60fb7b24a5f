/**
 * `--provider` and `--base-url` hold in every command, whatever model a program names; a project's `harn.toml` gets no key before
 * `harn trust`. Looked at from a server: what it receives, keys included.
 */
// suite: processes
import { cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { harnHere } from "../../support/harn-here.ts";
import { providerServerForTests } from "../../support/provider-server/index.ts";
import { ServedProject, until } from "../../support/served.ts";
import { startHarn } from "../../support/start-cli.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const server = await providerServerForTests();
const freshFolder = tempFolders("which-provider");

const vendorKey = "sk-ant-of-the-vendor-000111222";
const flags = ["--provider", "local", "--base-url", `${server.url}/flag/v1`];
/** What the user has set; other addresses are this server's, too, so that nothing leaves unseen. */
const env = {
  ANTHROPIC_API_KEY: vendorKey,
  OPENAI_API_KEY: "sk-proj-of-the-vendor-000111222",
  ANTHROPIC_BASE_URL: `${server.url}/anthropic`,
  OPENAI_BASE_URL: `${server.url}/openai/v1`,
  OLLAMA_HOST: `${server.url}/ollama`,
};
const keys = /sk-ant-of|sk-proj-of/;

let folder: string;
beforeEach(() => {
  folder = freshFolder();
  answers(12);
});

const answers = (count: number, text = "five"): void =>
  server.next(...Array.from({ length: count }, () => ({ kind: "answer", text }) as const));
const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
const harn = (args: readonly string[], more: Record<string, string> = {}, input = "") =>
  harnHere(args, { cwd: folder, env: { ...env, ...more }, input });
/** What reads a line at a time, starts others or works in another folder is a process. */
const started = (args: readonly string[], more: Record<string, string> = {}, input = "") =>
  startHarn(args, { cwd: folder, env: { ...env, ...more }, input }).ended;

/** Every request came in where the flags say, without a key; gives the models that were asked. */
function atTheFlag(): string[] {
  expect(server.seen.length).toBeGreaterThan(0);
  for (const { path, headers } of server.seen) {
    expect(path).toBe("/flag/v1/chat/completions");
    expect(JSON.stringify(headers)).not.toMatch(keys);
  }
  return server.seen.map(({ body }) => String(body.model));
}

const program = `println(llm_call("2+3", nil, {model: "quiz"}).text)
println(llm_call("2+3", nil, {model: "gpt-4o-mini"}).text)
println(llm_call("2+3", nil, {model: "gpt-4o-mini"}).text)
`;

describe("the flags of", () => {
  it("run; what the catalogue knows as another vendor's is told once, with what to write", async () => {
    write("r.harn", program);
    const done = await harn(["run", ...flags, "r.harn"]);
    expect(done).toMatchObject({ status: 0, stdout: "five\nfive\nfive\n" });
    expect(atTheFlag()).toEqual(["quiz", "gpt-4o-mini", "gpt-4o-mini"]);
    expect(done.stderr.match(/^warning: .*$/gm)).toEqual([
      "warning: provider local: `gpt-4o-mini` is known as a model of openai, and is asked here because --provider says so; write `openai:gpt-4o-mini` to ask openai",
    ]);
  });

  it("run, resumed with others: the address of one provider is not that of another", async () => {
    write(
      "r.harn",
      'llm_call("1", nil, {model: "quiz"})\nask_user("go on?")\nllm_call("2", nil, {model: "quiz"})',
    );
    const parked = await harn(["run", ...flags, "r.harn"]);
    expect(parked.status).toBe(75);
    expect(atTheFlag()).toEqual(["quiz"]);
    server.seen.length = 0;
    expect((await harn(["hitl", "answer", "last", "yes"])).status).toBe(0);
    expect((await harn(["run", "--resume", "last", "--provider", "openai"])).status).toBe(0);
    expect(server.seen.map(({ path, body }) => [path, body.model])).toEqual([
      ["/openai/v1/chat/completions", "quiz"],
    ]);
    expect(JSON.stringify(server.seen[0]?.headers)).toContain("sk-proj-of");
  });

  it("eval run, with variants and roles that name models", async () => {
    const graded = JSON.stringify({ reasoning: "It is.", verdict: "pass" });
    server.clear();
    answers(12, graded);
    write(
      "t.harn",
      `import "std/eval"
eval_pack sums {
  dataset: [{id: "a", input: "2+3"}]
  solver: "Answer in one word."
  scorers: [named("tone", judge("Is it polite?"))]
  variants: {model: ["quiz", "gpt-4o-mini"]}
  roles: {judge: {model: "claude-haiku-4-5"}}
}
`,
    );
    const done = await harn(["eval", "run", ...flags, "t.harn", "--quiet"]);
    expect(done.status).toBe(0);
    expect([...new Set(atTheFlag())].sort()).toEqual(["claude-haiku-4-5", "gpt-4o-mini", "quiz"]);
  });

  it("repl", async () => {
    const done = await started(["repl", ...flags], {}, program);
    expect(done.stdout).toContain("five");
    expect(atTheFlag()).toEqual(["quiz", "gpt-4o-mini", "gpt-4o-mini"]);
  });

  it("bench: the variable, which outranks what a name suggests", async () => {
    write("r.harn", program);
    // Warming up takes 300 ms: the more rounds, the faster the machine is.
    answers(3000);
    const more = { HARN_LLM_PROVIDER: "local", LOCAL_LLM_BASE_URL: `${server.url}/flag` };
    const { status, stderr } = await started(["bench", "r.harn", "-n", "1"], more);
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(new Set(atTheFlag())).toEqual(new Set(["quiz", "gpt-4o-mini"]));
  });

  it("daemon", async () => {
    write("w.harn", 'pub fn daemon() { return {task: "Wait.", model: "gpt-4o-mini"} }');
    expect((await started(["daemon", "run", "w.harn", ...flags])).status).toBe(0);
    try {
      await until(() => server.seen.length > 0);
      expect(atTheFlag()[0]).toBe("gpt-4o-mini");
    } finally {
      await started(["daemon", "stop", "w", "--now"]);
    }
  });

  it("session", async () => {
    write("a.harn", 'println(session_run({model: "gpt-4o-mini", system: "You help."}).text)');
    await started(["session", "new", "inbox", "a.harn"]);
    await started(["session", "send", "inbox", "hello"]);
    expect((await started(["session", "run", "inbox", ...flags])).stdout).toContain("five");
    expect(new Set(atTheFlag())).toEqual(new Set(["gpt-4o-mini"]));
  });

  it("serve", async () => {
    const own = { provider: "local", baseUrl: `${server.url}/flag/v1` };
    const project = new ServedProject(
      folder,
      { chat: 'agent_loop(argv[0], nil, {model: "gpt-4o-mini"})' },
      { flags: own },
      env,
    );
    try {
      await project.serve();
      const id = project.open("chat", "hello");
      await until(() => project.stateOf(id) === "idle");
      expect(new Set(atTheFlag())).toEqual(new Set(["gpt-4o-mini"]));
    } finally {
      await project.close();
    }
  });

  it("a simulated user of the library", async () => {
    write(
      "u.harn",
      `import { agentic_user, simulated_user_respond } from "std/agent/user"
println(simulated_user_respond(agentic_user("x", nil, nil, "gpt-4o"), "Sure?").action)
`,
    );
    expect((await harn(["run", ...flags, "u.harn"])).status).toBe(0);
    expect(new Set(atTheFlag())).toEqual(new Set(["gpt-4o"]));
  });
});

describe("harn trust", () => {
  const home = (): Record<string, string> => ({
    HOME: join(folder, "home"),
    XDG_CONFIG_HOME: "",
    ANTHROPIC_BASE_URL: "",
    OPENAI_BASE_URL: "",
  });
  const manifest = (path = "moved"): string =>
    `[llm.providers.anthropic]\nbase_url = "${server.url}/${path}/v1"\n`;
  const call = 'println(llm_call("2+3", nil, {model: "claude-haiku-4-5"}).text)\n';
  const inProject = (args: readonly string[], place = "project") =>
    harnHere(args, { cwd: join(folder, place), env: { ...env, ...home() } });

  beforeEach(() => {
    mkdirSync(join(folder, "project"), { recursive: true });
    mkdirSync(join(folder, "home"));
    write("project/harn.toml", manifest());
    write("project/a.harn", call);
  });

  it("a cloned project gets no key until the user agrees, for this table in this place", async () => {
    const refused = await inProject(["run", "a.harn"]);
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain("the key of anthropic (ANTHROPIC_API_KEY) is not sent to");
    expect(refused.stderr).toContain("`harn trust`");
    expect(server.seen).toEqual([]);

    const checked = await inProject(["check", "a.harn"]);
    expect(checked.status).toBe(0);
    expect(checked.stdout + checked.stderr).toContain(
      "[llm.providers.anthropic]: the key in ANTHROPIC_API_KEY is not sent to",
    );

    const agreed = await inProject(["trust"]);
    expect(agreed).toMatchObject({ status: 0, stderr: "" });
    expect(agreed.stdout).toContain(
      `[llm.providers.anthropic]  ${server.url}/moved/v1 gets the key in ANTHROPIC_API_KEY`,
    );
    const kept = join(folder, "home/.config/harn/trusted.json");
    expect(statSync(kept).mode & 0o777).toBe(0o600);
    expect(readFileSync(kept, "utf8")).toContain(join(folder, "project/harn.toml"));
    expect((await inProject(["trust", "--list"])).stdout).toContain("harn.toml  anthropic\n");
    expect((await inProject(["check", "a.harn"])).stdout).not.toContain("is not sent to");

    expect((await inProject(["run", "a.harn"])).stdout).toBe("five\n");
    expect(server.seen.map(({ path }) => path)).toEqual(["/moved/v1/messages"]);
    expect(JSON.stringify(server.seen[0]?.headers)).toContain(vendorKey);
    server.seen.length = 0;

    // Another table, and a copy elsewhere.
    cpSync(join(folder, "project"), join(folder, "copy"), { recursive: true });
    expect((await inProject(["run", "a.harn"], "copy")).status).toBe(1);
    write("project/harn.toml", manifest("elsewhere"));
    expect((await inProject(["run", "a.harn"])).status).toBe(1);
    write("project/harn.toml", manifest());
    expect((await inProject(["trust", "--remove"])).stdout).toContain("forgotten: ");
    expect((await inProject(["run", "a.harn"])).status).toBe(1);
    expect(server.seen).toEqual([]);
  });

  it("says so where there is nothing to agree to", async () => {
    write("project/harn.toml", '[package]\nname = "p"\n');
    expect((await inProject(["trust"])).stdout).toContain("nothing to agree to");
    expect((await inProject(["trust", "--list"])).stdout).toBe("nothing was agreed to\n");
    expect((await inProject(["trust", "/"])).status).toBe(2);
  });

  it("a run that goes on asks this machine again, not what was recorded", async () => {
    write("project/a.harn", `ask_user("go on?")\n${call}`);
    await inProject(["trust"]);
    expect((await inProject(["run", "a.harn"])).status).toBe(75);
    await inProject(["trust", "--remove"]);
    await inProject(["hitl", "answer", "last", "yes"]);
    const resumed = await inProject(["run", "--resume", "last"]);
    expect(resumed.status).toBe(1);
    expect(server.seen).toEqual([]);
  });
});
