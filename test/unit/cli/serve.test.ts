/** `harn serve` as a user starts it, driven by `HarnClient`. */
import { createPrivateKey } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer as plainServer } from "node:http";
import { request as secureRequest } from "node:https";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { selfSignedCertificate } from "../../../src/host/node/self-signed.ts";
import { type EventEnvelope, HarnClient } from "../../../src/server/client.ts";
import { startProviderServer } from "../../support/provider-server/index.ts";
import { harn } from "../../support/run-cli.ts";
import { type RunningCli, startHarn } from "../../support/start-cli.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("serve");

const echo = `pipeline main(task) {
  llm_mock({text: "You said: \${task} ##DONE##"})
  let r = agent_loop(task, nil, {provider: "mock"})
  println(r.status)
}
`;
const asks = `pipeline main(task) {
  let color = ask_user("Which color?", {schema: {type: "string", enum: ["red", "blue"]}})
  println("chose \${color}")
}
`;
const sleeps = `pipeline main(task) {
  sleep(600000)
}
`;

interface Served {
  readonly folder: string;
  readonly run: RunningCli;
  readonly url: string;
  readonly client: HarnClient;
}

async function serve(
  folder: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Served> {
  const run = startHarn(["serve", "--port", "0", ...args], { cwd: folder, env });
  onTestFinished(async () => {
    run.child.kill("SIGKILL");
    await run.ended;
  });
  let shown = "";
  run.child.stderr?.on("data", (text: string) => {
    shown += text;
  });
  await run.shows("#login=");
  const url = /https?:\/\/[^/]+/.exec(shown)?.[0] ?? "";
  const token = env.HARN_SERVE_TOKEN ?? readFileSync(join(folder, ".harn/serve.token"), "utf8").trim();
  return { folder, run, url, client: new HarnClient({ url, token }) };
}

function project(scripts: Readonly<Record<string, string>>): string {
  const folder = freshFolder();
  for (const [name, text] of Object.entries(scripts)) writeFileSync(join(folder, name), text);
  return folder;
}

/** Reads the log until an event is the one; gives all of them. */
async function until(
  client: HarnClient,
  id: string,
  isIt: (event: EventEnvelope) => boolean,
  after = 0,
): Promise<EventEnvelope[]> {
  const found: EventEnvelope[] = [];
  for await (const event of client.events(id, { after, signal: AbortSignal.timeout(300_000) })) {
    if (event.seq !== null) found.push(event);
    if (isIt(event)) return found;
  }
  throw new Error(`it did not come to that: ${found.map(({ type }) => type).join(" ")}`);
}

const inState = (state: string) => (event: EventEnvelope) =>
  event.type === "conversation.state" && event.data.state === state;

describe("a conversation", () => {
  test("from a message to its answer, live, and again from the log", async () => {
    const { client, run } = await serve(project({ "echo.harn": echo }), ["echo.harn"]);
    const { id } = await client.createConversation({ agent: "echo", message: { text: "Hello" } });
    const live = await until(client, id, inState("idle"));
    expect(live.map(({ seq }) => seq)).toEqual(live.map((_one, index) => index + 1));
    const page = await client.eventPage(id);
    expect(page.items).toEqual(live);
    expect(live.filter(({ type }) => type === "run.end")).toMatchObject([{ data: { status: "done" } }]);
    run.child.kill("SIGTERM");
    expect((await run.ended).status).toBe(0);
  });

  test("asks, is answered, is stopped, goes on; nothing is lost when the server is killed", async () => {
    const folder = project({ "asks.harn": asks, "sleeps.harn": sleeps });
    const first = await serve(folder, ["asks.harn", "sleeps.harn"]);
    const asked = await first.client.createConversation({ agent: "asks", message: { text: "go" } });
    const slept = await first.client.createConversation({ agent: "sleeps", message: { text: "go" } });
    await until(first.client, asked.id, ({ type }) => type === "question.asked");
    await until(first.client, slept.id, inState("processing"));

    const { interrupt } = await first.client.interrupt(slept.id, "enough");
    expect(interrupt).toMatch(/^i_/);
    const stopped = await until(first.client, slept.id, inState("interrupted"));
    expect(stopped.filter(({ type }) => type === "run.interrupted")).toMatchObject([
      { data: { by: "admin", reason: "enough" } },
    ]);

    first.run.child.kill("SIGKILL");
    await first.run.ended;
    const second = await serve(folder, ["asks.harn", "sleeps.harn"]);
    const { items } = await second.client.questions(asked.id, { open: true });
    expect(items).toMatchObject([{ prompt: "Which color?" }]);
    await expect(second.client.answer(items[0]?.id ?? "", { answer: "green" })).rejects.toMatchObject({
      status: 422,
    });
    expect(await second.client.answer(items[0]?.id ?? "", { answer: "blue" })).toMatchObject({
      counted: true,
    });
    const log = await until(second.client, asked.id, inState("idle"));
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_one, index) => index + 1));
    expect(log.filter(({ type }) => type === "question.answered")).toHaveLength(1);

    expect((await second.client.resume(slept.id)).state).toBe("queued");
    await until(second.client, slept.id, inState("processing"), stopped.length);
    await second.client.interrupt(slept.id);
    await until(second.client, slept.id, inState("interrupted"), stopped.length + 1);
    second.run.child.kill("SIGINT");
    expect((await second.run.ended).status).toBe(0);
  });
});

const plans = `import { propose_plan_tool } from "std/agent/modes"
pipeline main(task) {
  llm_mock({text: "", tool_calls: [{name: "propose_plan", arguments: {plan: "1. Look"}}]})
  llm_mock({text: "Understood ##DONE##"})
  agent_loop(task, nil, {provider: "mock", tools: propose_plan_tool(), tool_format: "native", modes: true})
}
`;

describe("a plan", () => {
  test("is asked as one, and what is said when it is refused is what the agent hears", async () => {
    const { client } = await serve(project({ "plans.harn": plans }), ["plans.harn"]);
    const { id } = await client.createConversation({ agent: "plans", message: { text: "go" } });
    const log = await until(client, id, ({ type }) => type === "question.asked");
    expect(log.at(-1)?.data).toMatchObject({ kind: "plan" });
    const [question] = (await client.questions(id, { open: true })).items;
    await client.answer(question?.id ?? "", { decision: "deny", feedback: "look at the north, too" });
    const ended = await until(client, id, ({ type }) => type === "tool.end");
    expect(JSON.stringify(ended.at(-1)?.data)).toContain("not approved: look at the north, too");
    await until(client, id, inState("idle"));
  });
});

describe("what was recorded", () => {
  test("a run of a terminal has a log and a report, as soon as somebody looks", async () => {
    const alone = `llm_mock({text: "Alone ##DONE##"})\nagent_loop("Go", nil, {provider: "mock"})\n`;
    const folder = project({ "echo.harn": echo, "alone.harn": alone });
    expect(harn(["run", "alone.harn"], { cwd: folder }).status).toBe(0);
    const { client } = await serve(folder, ["echo.harn"]);
    const { run = "" } = (await client.runs()).items[0] ?? {};
    const { items } = await client.eventPage(`run:${run}`);
    expect([items[0]?.type, items.at(-1)?.type]).toEqual(["run.start", "run.end"]);
    expect(items.some(({ type }) => type === "loop.end")).toBe(true);
    const report = await client.report(run);
    expect(report).toMatch(/^<!doctype html>/);
    expect(report).toContain("Alone ##DONE##");
    expect(report).toContain(`alone.harn · ${run}`);
  });

  test("a conversation is forked behind an event, and the fork outlives it, folder and all", async () => {
    const { client, folder } = await serve(project({ "echo.harn": echo }), ["echo.harn"]);
    const { id } = await client.createConversation({ agent: "echo", message: { text: "Hello" } });
    const log = await until(client, id, inState("idle"));
    const said = log.find(
      ({ type, data }) => type === "message.end" && "role" in data && data.role === "user",
    );
    const last = log.at(-1)?.seq ?? 0;
    await expect(client.fork(id, { event: last })).rejects.toMatchObject({ status: 422 });
    const fork = await client.fork(id, { event: said?.seq ?? 0, title: "Another" });
    expect(fork).toMatchObject({ title: "Another", parent: id });
    await until(client, fork.id, inState("idle"));
    const answers = async (of: string) =>
      (await client.messages(of)).items.filter(({ role }) => role === "assistant").map(({ text }) => text);
    expect(await answers(fork.id)).toEqual(await answers(id));
    const workspace = join(folder, ".harn/workspaces", id);
    await client.removeConversation(id, { purge: true });
    expect(existsSync(workspace)).toBe(true);
    await client.say(fork.id, { text: "Still there?" });
    await until(client, fork.id, inState("idle"), (await client.conversation(fork.id)).head);
    expect((await answers(fork.id))[0]).toContain("Still there?");
    await client.removeConversation(fork.id, { purge: true });
    expect(existsSync(workspace)).toBe(false);
  });
});

describe("who may use it", () => {
  test("the first start makes a token that only the owner can read; links work once; tokens are shown once", async () => {
    const folder = project({ "echo.harn": echo });
    const { url } = await serve(folder, ["echo.harn"]);
    expect(statSync(join(folder, ".harn/serve.token")).mode & 0o777).toBe(0o600);
    const link = harn(["serve", "url"], { cwd: folder });
    expect(link.stdout.startsWith(`${url}/#login=`)).toBe(true);
    const code = link.stdout.trim().split("#login=")[1] ?? "";
    const login = () =>
      fetch(`${url}/api/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ code }),
      });
    expect((await login()).status).toBe(204);
    expect((await login()).status).toBe(401);

    const token = harn(["serve", "token", "add", "ann", "--role", "read"], { cwd: folder }).stdout.trim();
    expect(await new HarnClient({ url, token }).me()).toEqual({ name: "ann", role: "read" });
    expect(harn(["serve", "token", "add", "ann"], { cwd: folder }).status).toBe(1);
    expect(harn(["serve", "token"], { cwd: folder }).stdout).toBe("admin  admin\nann  read\n");
    expect(harn(["serve", "token", "revoke", "ann"], { cwd: folder }).status).toBe(0);
    await expect(new HarnClient({ url, token }).me()).rejects.toMatchObject({ status: 401 });
    expect(harn(["serve", "token", "revoke", "ann"], { cwd: folder }).status).toBe(1);
  });

  test("a token of the environment is the admin's, long enough, and leaves no file", async () => {
    const folder = project({ "echo.harn": echo });
    const token = "0123456789abcdef0123456789abcdef";
    expect(harn(["serve", "--port", "0"], { cwd: folder, env: { HARN_SERVE_TOKEN: "short" } }).status).toBe(
      2,
    );
    const { client } = await serve(folder, ["echo.harn"], { HARN_SERVE_TOKEN: token });
    expect(await client.me()).toEqual({ name: "admin", role: "admin" });
    expect(existsSync(join(folder, ".harn/serve.token"))).toBe(false);
  });

  test("without a server there is no link", () => {
    const { status, stderr } = harn(["serve", "url"], { cwd: project({}) });
    expect([status, stderr]).toEqual([1, expect.stringContaining("no server runs on this project")]);
  });
});

describe("a fork that does something otherwise", () => {
  const answers = `pipeline main(task) {
  let r = agent_loop(task, nil, {loop_until_done: false, max_iterations: 1})
  write_file("flavour.txt", env_or("FLAVOUR", "none"))
}
`;

  test("another model, another answer, another variable; the old one stays as it is", async () => {
    const vendor = await startProviderServer();
    onTestFinished(() => vendor.close());
    const answer = (text: string) => vendor.next({ kind: "answer", text, stop: "end_turn" });
    const asked = () => vendor.seen.map(({ body }) => (body as { model: string }).model);
    const route = ["--provider", "local", "--base-url", `${vendor.url}/v1`, "--model", "first"];
    const { client } = await serve(project({ "answers.harn": answers }), ["answers.harn", ...route]);
    const said = async (id: string) =>
      (await client.messages(id)).items.filter(({ role }) => role === "assistant").map(({ text }) => text);
    const flavour = async (id: string) => await (await client.readFile(id, "flavour.txt")).text();

    answer("One.");
    const { id } = await client.createConversation({ agent: "answers", message: { text: "Hello" } });
    const log = await until(client, id, inState("idle"));
    const event =
      log.find(({ type, data }) => type === "message.end" && "role" in data && data.role === "user")?.seq ??
      0;

    answer("Two.");
    const other = await client.fork(id, { event, model: "second", set: { FLAVOUR: "mint" } });
    await until(client, other.id, inState("idle"));
    expect([asked(), await said(other.id)]).toEqual([["first", "second"], ["Two."]]);
    expect(await flavour(other.id)).toBe("mint");
    // What it says later on, too.
    answer("Three.");
    const { head } = await client.conversation(other.id);
    await client.say(other.id, { text: "And now?" });
    await until(client, other.id, inState("idle"), head);
    expect(asked().at(-1)).toBe("second");

    // Nobody is asked for an answer that is given.
    const published = await client.fork(id, { event, result: "Something else." });
    await until(client, published.id, inState("idle"));
    expect([asked().length, await said(published.id)]).toEqual([3, ["Something else."]]);

    answer("Four.");
    await client.say(id, { text: "And you?" });
    await until(client, id, inState("idle"), log.at(-1)?.seq ?? 0);
    expect([asked().at(-1), await flavour(id)]).toEqual(["first", "none"]);
    expect(await said(id)).toEqual(["Four.", "One."]);

    const refused = await client.fork(id, { step: 1, result: {} }).catch((error) => error.problem);
    expect(refused).toMatchObject({ status: 422, detail: expect.stringContaining("is of the run itself") });
  });
});

describe("files that come with a message", () => {
  const shows = `pipeline main(task) {
  let calls = llm_mock_calls().count
  llm_mock({text: "seen ##DONE##"})
  let r = agent_loop(task, nil, {provider: "mock"})
  write_file("seen.json", json_stringify({task: task, messages: llm_mock_calls()[calls].messages,
    attachments: conversation_info().message.attachments}))
}
`;
  const png = Buffer.from("89504e470d0a1a0a0000", "hex");

  test("texts and pictures reach the model, once, and stay in the history", async () => {
    const { client } = await serve(project({ "shows.harn": shows }), ["shows.harn"]);
    const { id } = await client.createConversation({ agent: "shows" });
    await client.writeFile(id, "notes/a.md", "# Notes\nbuy milk");
    await client.writeFile(id, "b.png", new Blob([png]));
    const attachments = [{ path: "notes/a.md" }, { path: "b.png" }];
    await client.say(id, { text: "What is in these?", attachments });
    await until(client, id, inState("idle"));
    const seen = JSON.parse(await (await client.readFile(id, "seen.json")).text());
    expect(seen).toMatchObject({ task: "What is in these?", attachments });
    const words = 'What is in these?\n\n<context uri="notes/a.md">\n# Notes\nbuy milk\n</context>';
    const content = [
      { type: "text", text: words },
      { type: "image", base64: png.toString("base64"), media_type: "image/png" },
    ];
    expect(seen.messages).toEqual([{ role: "user", content }]);

    const { head } = await client.conversation(id);
    await client.say(id, { text: "And now?" });
    await until(client, id, inState("idle"), head);
    const again = JSON.parse(await (await client.readFile(id, "seen.json")).text());
    expect(again.messages[0]).toEqual({ role: "user", content });
    expect(again.messages.at(-1)).toEqual({ role: "user", content: "And now?" });
  });

  test("what can't come with a message is refused with its place", async () => {
    const { client } = await serve(project({ "echo.harn": echo }), ["echo.harn"]);
    const { id } = await client.createConversation({ agent: "echo" });
    await client.writeFile(id, "a.bin", new Blob([Buffer.from([1, 0, 2])]));
    await client.writeFile(id, "long.txt", "x".repeat(256 * 1024 + 1));
    const asked = ["none.md", "a.bin", "long.txt", "../echo.harn", ".env"].map((path) => ({ path }));
    const refused = await client
      .say(id, { text: "Look", attachments: asked })
      .catch((error) => error.problem);
    expect(refused).toMatchObject({ status: 422, code: "HARN-SRV-020" });
    const published = refused.errors.map(
      (one: { path: string; message: string }) => `${one.path}: ${one.message}`,
    );
    expect(published).toEqual([
      "body.attachments.0.path: there is no such file in the workspace",
      "body.attachments.1.path: must be a text in UTF-8 or a picture (png, jpeg, gif, webp)",
      "body.attachments.2.path: has 262145 bytes; a text has at most 262144",
      "body.attachments.3.path: a path has no empty parts, no `.` and no `..`",
      "body.attachments.4.path: this file is never served",
    ]);
    const made = await client
      .createConversation({ agent: "echo", message: { text: "Look", attachments: [{ path: "a.md" }] } })
      .catch((error) => error.problem);
    expect(made.errors[0].message).toContain("a new conversation has no files");
  });
});

describe("what runs may not speak to", () => {
  const calls = `pipeline main(task) {
  let tried = try { http_get(task) }
  write_file("tried.txt", is_err(tried) ? to_string(unwrap_err(tried)) : "status \${unwrap(tried).status}")
}
`;

  test.each([
    ["loopback", []],
    ["every address of the machine", ["--host", "0.0.0.0"]],
  ])("is the server itself, bound to %s", async (_what, flags) => {
    const other = plainServer((_request, answer) => void answer.end("hello"));
    onTestFinished(() => new Promise<void>((done) => void other.close(() => done())));
    await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
    const { url, client } = await serve(project({ "calls.harn": calls }), ["calls.harn", ...flags]);
    const { port } = new URL(url);
    const outside = Object.values(networkInterfaces())
      .flatMap((found) => found ?? [])
      .filter(({ family, internal }) => family === "IPv4" && !internal)
      .map(({ address }) => `http://${address}:${port}/api/health`);
    const own = [`http://127.0.0.1:${port}/api/health`, `http://localhost:${port}/api/health`];
    const asked = flags.length === 0 ? own : [...own, ...outside];
    const { id } = await client.createConversation({ agent: "calls" });
    const tried = async (address: string) => {
      const { head } = await client.conversation(id);
      await client.say(id, { text: address });
      await until(client, id, inState("idle"), head);
      return await (await client.readFile(id, "tried.txt")).text();
    };
    for (const address of asked) expect(await tried(address)).toMatch(/blocked|denied|egress/i);
    expect(await tried(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`)).toBe("status 200");
  });
});

test("where an agent can run code, the server says in which sandbox; where none can, nothing", async () => {
  const code = `import { sandbox } from "std/research/code"\npipeline main(task) { println(sandbox().kind) }\n`;
  const { run } = await serve(project({ "code.harn": code }), ["code.harn"]);
  await run.shows("code of agents runs in the sandbox ");
  run.child.kill("SIGTERM");
  expect((await run.ended).stderr).toMatch(
    /runs in the sandbox (bwrap \(bubblewrap\)|process \(bubblewrap does not work here\))\n/,
  );
  const plain = await serve(project({ "echo.harn": echo }), ["echo.harn"]);
  plain.run.child.kill("SIGTERM");
  expect((await plain.run.ended).stderr).not.toContain("sandbox");
});

describe("the command line", () => {
  test("agents of the manifest, with title, mode and configuration", async () => {
    const folder = project({
      "echo.harn": echo,
      "harn.toml": `[agents.helper]\nscript = "echo.harn"\ntitle = "A helper"\nmode = "plan"\nconfig = { max_iterations = 5 }\nexamples = ["Echo this."]\n[serve]\nworkspaces = "work"\n`,
    });
    const { client } = await serve(folder, []);
    expect((await client.info()).agents).toEqual([
      { name: "helper", title: "A helper", mode: "plan", examples: ["Echo this."] },
    ]);
    const made = await client.createConversation({ agent: "helper" });
    expect(made).toMatchObject({ mode: "plan" });
    expect(existsSync(join(folder, "work", made.id))).toBe(true);
  });

  test("a configuration of the manifest that means nothing: 1, and what was meant", () => {
    const toml = `[agents.a]\nscript = "echo.harn"\nconfig = { max_iteratons = 5 }\n`;
    const { status, stderr } = harn(["serve"], { cwd: project({ "echo.harn": echo, "harn.toml": toml }) });
    expect([status, stderr]).toEqual([1, expect.stringContaining("max_iterations")]);
    expect(stderr).toContain("[agents.a]: config: ");
  });

  describe("HTTPS", () => {
    const pems = (folder: string, name: string, mode = 0o600): void => {
      const { certPem, keyPem } = selfSignedCertificate(["localhost", "127.0.0.1"], Date.now());
      writeFileSync(join(folder, `${name}.crt`), certPem);
      writeFileSync(join(folder, `${name}.key`), keyPem, { mode });
    };

    test("answers, tells who forgot it, and marks its cookie", async () => {
      const folder = project({ "echo.harn": echo });
      pems(folder, "a", 0o644);
      const { url, run } = await serve(folder, ["echo.harn", "--tls-cert", "a.crt", "--tls-key", "a.key"]);
      expect(url).toMatch(/^https:/);
      await run.shows("harn serve: others may read the key a.key: chmod 600 a.key\n");
      const plain = await fetch(`${url.replace("https", "http")}/api/health`);
      expect([plain.status, await plain.text()]).toEqual([
        400,
        "This port speaks HTTPS: the address begins with https://\n",
      ]);
      const found = harn(["serve", "url"], { cwd: folder });
      const [, code] = /#login=(\S+)/.exec(found.stdout) ?? [];
      expect(found.stdout).toContain(url);
      const cookie = await new Promise((done, refuse) => {
        const asked = secureRequest(`${url}/api/login`, {
          method: "POST",
          ca: readFileSync(join(folder, "a.crt")),
          headers: { "content-type": "application/json", origin: url, "x-harn": "1" },
        });
        asked.on("error", refuse).on("response", (response) => {
          response.resume();
          done(response.headers["set-cookie"]?.[0]);
        });
        asked.end(JSON.stringify({ code }));
      });
      expect(cookie).toMatch(/^harn_\d+=.*; HttpOnly; SameSite=Strict; Path=\/; .*Secure/);
    });

    test.each([
      ["none.crt", "a.key", "--tls-cert: none.crt cannot be read"],
      ["junk", "a.key", "--tls-cert: junk has no certificate"],
      ["a.crt", "junk", "--tls-key: junk has no private key"],
      ["a.crt", "b.key", "--tls-key: b.key is not the key of the certificate in a.crt"],
      ["a.crt", "locked", "--tls-key: locked needs a passphrase"],
    ])("%s with %s is refused in words", (cert, key, words) => {
      const folder = project({ "echo.harn": echo });
      pems(folder, "a");
      pems(folder, "b");
      writeFileSync(join(folder, "junk"), "junk");
      const locked = createPrivateKey(readFileSync(join(folder, "a.key"), "utf8")).export({
        type: "pkcs8",
        format: "pem",
        cipher: "aes-256-cbc",
        passphrase: "abc",
      });
      writeFileSync(join(folder, "locked"), locked);
      const args = ["serve", "echo.harn", "--port", "0", "--tls-cert", cert, "--tls-key", key];
      const { status, stderr } = harn(args, { cwd: folder });
      expect([status, stderr]).toEqual([1, expect.stringContaining(words)]);
    });
  });

  test.each([
    [["nothing.harn"], 1, "nothing.harn: there is no such file"],
    [["--port", "70000"], 2, "--port: expected a whole number from 0 to 65535"],
    [["--tls-cert", "x.pem"], 2, "--tls-cert and --tls-key belong together"],
    [["--deny", "fswrite"], 2, "--deny: 'fswrite' is neither a builtin nor a capability"],
    [["--llm-mock", "none.jsonl"], 1, "--llm-mock: cannot read"],
    [["--once"], 2, "--once: only with `--sessions` alone"],
    [["token", "add", "a b"], 2, "a name has letters"],
    [["token", "add", "ann", "--role", "king"], 2, "--role: expected one of read, write, admin, got king"],
  ])("harn serve %j: %d", (args, status, words) => {
    const done = harn(["serve", ...args], { cwd: project({}) });
    expect(done.stderr).toContain(words);
    expect(done.status).toBe(status);
  });

  test.each([
    ["does not parse", "pipeline main(task) {", "HARN-PAR-"],
    ["does not check", "pipeline main(task) {\n  printn(task)\n}\n", "did you mean"],
    ["has nothing to run", "fn helper() { return 1 }\n", "has no pipeline and no statement"],
  ])("a script that %s: 1, with what the checker says", (_what, text, words) => {
    const folder = project({ "broken.harn": text });
    const { status, stderr } = harn(["serve", "--port", "0", "broken.harn"], { cwd: folder });
    expect([status, stderr]).toEqual([1, expect.stringContaining(words)]);
    expect(stderr).toContain("the agent broken can't work: ");
    expect(stderr).not.toContain("#login=");
    expect(existsSync(join(folder, ".harn"))).toBe(false);
  });

  test("one of several scripts is broken: it is said, its messages fail, and it works when it is mended", async () => {
    const folder = project({ "echo.harn": echo, "broken.harn": "pipeline main(task) {" });
    const { client, run } = await serve(folder, ["echo.harn", "broken.harn"]);
    const { id } = await client.createConversation({ agent: "broken", message: { text: "Hello" } });
    await until(client, id, inState("failed"));
    const good = await client.createConversation({ agent: "echo", message: { text: "Hello" } });
    await until(client, good.id, inState("idle"));
    writeFileSync(join(folder, "broken.harn"), echo);
    const { head } = await client.conversation(id);
    await client.say(id, { text: "Again" });
    await until(client, id, inState("idle"), head);
    run.child.kill("SIGTERM");
    expect((await run.ended).stderr).toContain("harn serve: the agent broken can't work");
  });

  test("a port that is taken: 1, and what to do", async () => {
    const other = plainServer();
    onTestFinished(() => new Promise<void>((done) => void other.close(() => done())));
    await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
    const { port } = other.address() as AddressInfo;
    const { status, stderr } = harn(["serve", "--port", String(port)], { cwd: project({}) });
    expect([status, stderr]).toEqual([1, expect.stringContaining(`127.0.0.1:${port} is taken`)]);
  });

  test("--json: requests as lines without queries and tokens", async () => {
    const folder = project({ "echo.harn": echo });
    const { client, run } = await serve(folder, ["echo.harn", "--json"]);
    await client.conversations({ q: "needle" });
    run.child.kill("SIGTERM");
    const { stdout } = await run.ended;
    expect(stdout).not.toMatch(/needle|Bearer/);
    const [line] = stdout.trim().split("\n");
    expect(JSON.parse(line ?? "")).toMatchObject({
      request: { method: "GET", route: "/api/conversations", status: 200, principal: "admin" },
    });
  });
});
