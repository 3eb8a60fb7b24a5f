/**
 * A canary in the environment goes through everything that keeps something: served conversations, idempotency keys, evaluations and
 * their exports, answers, sessions, builtins. Afterwards every file is searched for it, in every form in which it may lie there.
 */
// suite: processes
// long: searches everything that keeps something
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { builtinTable } from "../../../src/builtins/index.ts";
import { membersOfZip } from "../../../src/eval/local/transfer/zip-file.ts";
import { HarnClient } from "../../../src/server/client.ts";
import { parseSignature } from "../../../src/table/index.ts";
import type { CliResult } from "../../support/command-environment.ts";
import { projectRoot } from "../../support/project.ts";
import { harn } from "../../support/run-cli.ts";
import { startHarn } from "../../support/start-cli.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("canary");

const canary = 'tok/"cAnaRy+zQ7xW\\x9';
const env = { CANARY_TOKEN: canary };
const cores = [0, 1, 2].map((before) => {
  const digits = Buffer.from("x".repeat(before) + canary).toString("base64");
  return digits.slice(before === 0 ? 0 : 4, 16);
});
const traces = ["cAnaRy", "zQ7xW", ...cores];

/** Where it lies in the clear: every file, and what is packed in archives. */
function found(folder: string, own: readonly string[]): string[] {
  const hits: string[] = [];
  const look = (name: string, bytes: Buffer): void => {
    const text = bytes.toString("latin1");
    const plain = text.replace(/%([0-9a-f]{2})/gi, (_all, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    const joined = text.replace(/\\[rn]|\s/g, "");
    for (const trace of traces)
      if ([text, plain, joined].some((one) => one.includes(trace))) hits.push(`${name}: ${trace}`);
    // Texts that are packed inside of a page.
    for (const [packed] of text.matchAll(/H4sI[A-Za-z0-9+/]{40,}={0,2}/g))
      look(`${name} (packed)`, gunzipSync(Buffer.from(packed, "base64")));
  };
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || own.includes(path.slice(folder.length + 1))) continue;
    const bytes = readFileSync(path);
    look(path.slice(folder.length + 1), bytes);
    if (/\.(?:eval|harneval)$/.test(entry.name))
      for (const member of membersOfZip(bytes)) look(`${entry.name}/${member.name}`, member.read());
  }
  return hits;
}

function project(scripts: Readonly<Record<string, string>>) {
  const folder = freshFolder();
  for (const [name, text] of Object.entries(scripts)) writeFileSync(join(folder, name), text);
  return {
    folder,
    run: (...args: string[]): CliResult => harn(args, { cwd: folder, env }),
    expectNone: (own: readonly string[] = []) =>
      expect(found(folder, [...Object.keys(scripts), ...own])).toEqual([]),
  };
}

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly pattern?: string;
  readonly minimum?: number;
}

/** Something that fits: the canary for each text that may be any. */
function bodyOf(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf !== undefined) return bodyOf(schema.anyOf[0] ?? {});
  if (schema.type === "object" || schema.properties !== undefined)
    return Object.fromEntries(
      Object.entries(schema.properties ?? {})
        // Files and agents that are not there would only be refused.
        .filter(([key]) => !/attachments|workspace|archived|step|event/.test(key))
        .map(([key, of]) => [key, key === "agent" ? "echo" : bodyOf(of)]),
    );
  if (schema.type === "array") return [bodyOf(schema.items ?? {})];
  if (schema.type === "integer" || schema.type === "number") return schema.minimum ?? 1;
  if (schema.type === "boolean") return true;
  return schema.pattern === undefined ? `of ${canary}` : "x";
}

function routesWithBodies(): { method: string; path: string; schema: Schema }[] {
  const { paths } = JSON.parse(readFileSync(join(projectRoot, "docs/openapi.json"), "utf8")) as {
    paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema?: Schema }> } }>>;
  };
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { requestBody }]) => {
      const schema = requestBody?.content["application/json"]?.schema;
      const ends = /log(?:in|out)|tokens|principals|shutdown|delete/.test(path);
      return schema === undefined || ends ? [] : [{ method: method.toUpperCase(), path, schema }];
    }),
  );
}

describe("a secret is found in no file", () => {
  it("of what people say to a server, of answers that are kept, and of what is exported", async () => {
    const one = project({
      "echo.harn": `llm_mock({text: "I heard " + argv[0]})
agent_loop(argv[0], nil, {provider: "mock"})
`,
    });
    const server = startHarn(["serve", "echo.harn", "--port", "0"], { cwd: one.folder, env });
    onTestFinished(async () => {
      server.child.kill("SIGKILL");
      await server.ended;
    });
    let said = "";
    server.child.stderr?.on("data", (text: string) => {
      said += text;
    });
    await server.shows("#login=");
    const url = /https?:\/\/[^/]+/.exec(said)?.[0] ?? "";
    const token = readFileSync(join(one.folder, ".harn/serve.token"), "utf8").trim();
    const client = new HarnClient({ url, token });
    const post = async (path: string, body: unknown) => {
      const send = () =>
        fetch(`${url}/api/${path}`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${token}`,
            "content-type": "application/json",
            "idempotency-key": "k-1",
          },
          body: JSON.stringify(body),
        });
      const first = await (await send()).json();
      // The kept answer is the first one, with the secret in it.
      expect(await (await send()).json()).toEqual(first);
      return first as { readonly id: string };
    };
    const text = `use ${canary}, please`;
    const { id } = await post("conversations", {
      agent: "echo",
      title: `about ${canary}`,
      message: { text },
    });
    for await (const event of client.events(id, { after: 0, signal: AbortSignal.timeout(300_000) }))
      if (event.type === "conversation.state" && event.data.state === "idle") break;
    expect(JSON.stringify((await client.conversation(id)).title)).toContain("zQ7xW");
    one.expectNone();
    // Every route that takes something, with the canary in each of its texts.
    const answered: number[] = [];
    for (const { method, path, schema } of routesWithBodies()) {
      const answer = await fetch(`${url}${path.replace("{id}", id).replaceAll(/\{[^}]*\}/g, "x")}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(bodyOf(schema)),
      });
      await answer.arrayBuffer();
      answered.push(answer.status);
    }
    expect(answered.length).toBeGreaterThan(10);
    expect(answered.filter((status) => status < 300).length).toBeGreaterThan(3);
    expect(answered.filter((status) => status >= 500)).toEqual([]);
    one.expectNone();
    server.child.kill("SIGTERM");
    await server.ended;
    const outputs = ["md", "json"].map(
      (format) => one.run("export", "conversation", id, "--to", format).stdout,
    );
    expect(outputs[1]).toContain("{{secret:CANARY_TOKEN");
    for (const output of outputs) expect(output).not.toContain("zQ7xW");
    one.run("runs", "export", "last", "run.json");
    one.run("view", "last", "--html", "run.html");
    one.expectNone();
  });

  it("of sets of evaluations, their reports and their exports", () => {
    const one = project({
      "t.harn": `import "std/eval"
let secret = env("CANARY_TOKEN")
eval_pack towns {
  description: "of " + secret
  dataset: [{id: "a", input: "say " + secret, target: secret, metadata: {key: secret}}, {id: "b", input: "x", target: "y"}]
  solver: { s, _t -> "I say " + s.target }
  scorers: [named("has", { o, s -> {value: 1.0, why: "it is " + s.target, answer: s.target} })]
  variants: [{name: "v", style: secret}]
}
`,
    });
    const ran = one.run("eval", "run", "t.harn", "--quiet", "--set", "s");
    expect(ran.stderr).not.toContain("error");
    one.expectNone();
    for (const file of ["s.jsonl", "s.csv", "s.eval", "s.harneval"])
      expect(`${file}: ${one.run("eval", "export", "s", file).stderr}`).toBe(`${file}: `);
    one.run("eval", "export", "s", "s.json", "--as", "inspect");
    one.run(
      "eval",
      "report",
      "s",
      "--html",
      "s.html",
      "--junit",
      "s.xml",
      "--csv",
      "r.csv",
      "--transcripts",
      "all",
    );
    one.run("eval", "label", "s", "--scorer", "has", "--out", "sheet.csv");
    expect(readdirSync(one.folder)).toEqual(
      expect.arrayContaining(["s.jsonl", "s.csv", "s.eval", "s.harneval", "s.json", "s.html", "s.xml"]),
    );
    one.expectNone();
    // What was kept by name is what trials, resumes and replays get.
    expect(one.run("eval", "resume", "s").status).toBe(0);
    expect(one.run("eval", "replay", "s").status).toBe(0);
    one.expectNone();
  });

  it("of answers, sessions, memory and daemons", () => {
    const one = project({
      "ask.harn": 'println(ask_user("which?") == env("CANARY_TOKEN"))',
      "s.harn": `let run = session_run({provider: "mock", system: "You help."})\nprintln("said " + run.text)`,
    });
    writeFileSync(join(one.folder, "answer.jsonl"), `${JSON.stringify({ text: `noted ${canary}` })}\n`);
    expect(one.run("run", "ask.harn").status).toBe(75);
    one.run("hitl", "answer", "last", JSON.stringify(canary), "--reason", `because ${canary}`);
    expect(one.run("run", "--resume", "last").stdout).toBe("true\n");
    one.run("session", "new", "s", "s.harn");
    one.run("session", "send", "s", `keep ${canary}`);
    one.run("session", "run", "s", "--llm-mock", "answer.jsonl");
    one.expectNone(["answer.jsonl"]);
  });

  /** What writes to files that the program names is the program's own (docs/security.md). */
  const ownFiles =
    /^(?:write_|append_|replace_|file_|csv_|zip_|tar_|http_download|copy_|move_|render_to|paper_export)/;

  it("of every builtin that keeps something", () => {
    const specs = [...builtinTable().values()].filter(
      ({ effect, name }) =>
        (effect === "write" || effect === "read") &&
        !ownFiles.test(name) &&
        !/wait|listen|serve|accept|exec|spawn|shell|process|prompt|ask_|human|exit|sleep/.test(name),
    );
    const argument = ({ name, type }: { name: string; type: unknown }): string => {
      const shown = JSON.stringify(type);
      if (/path|file|dir|folder|destination|root|cwd|workspace/.test(name)) return '"kept/x.json"';
      // Names are not hidden (docs/security.md): of sessions, queues, workflows.
      if (/^(?:name|id|session|session_id|worker|workflow|target|mailbox|queue|wf|run)/.test(name))
        return '"named"';
      if (shown.includes('"dict"')) return '{name: "named", kind: t, text: t, id: "named", value: t}';
      if (shown.includes('"list"')) return "[t]";
      if (shown.includes('"int"') && !shown.includes('"string"')) return "1";
      if (shown.includes('"fn"')) return "{ x -> t }";
      return "t";
    };
    const calls = specs.map((spec) => {
      const args = parseSignature(spec.sig).params.map(argument);
      return `try { call({ -> ${spec.name}(${args.join(", ")}) }) } catch (e) { }`;
    });
    const one = project({
      "b.harn": `let t = env("CANARY_TOKEN")\nfn call(f) { f() }\n${calls.join("\n")}\nprintln("to its end")\n`,
    });
    mkdirSync(join(one.folder, "kept"));
    const done = one.run("run", "--deny", "net,process,people", "b.harn");
    expect(done.stdout + done.stderr).toContain("to its end");
    expect(specs.length).toBeGreaterThan(80);
    // They have kept something.
    expect(readdirSync(join(one.folder, ".harn")).length).toBeGreaterThan(3);
    expect(readdirSync(join(one.folder, "kept")).length).toBeGreaterThan(0);
    one.expectNone();
  });
});
