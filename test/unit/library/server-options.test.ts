/** `createServer`: every option is judged before anything of the server begins, and what is refused leaves nothing open. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer as netServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HarnClient } from "../../../src/library/client.ts";
import { HarnError } from "../../../src/library/errors.ts";
import { type CreateServerOptions, createServer, type HarnServer } from "../../../src/library/server.ts";
import { workFlags } from "../../../src/run/setup/index.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("server-options");
const state = tempFolder("server-options-state");
const A = { name: "a", script: "a.harn" };
let before: string | undefined;

beforeAll(() => {
  before = process.env.HARN_STATE_DIR;
  process.env.HARN_STATE_DIR = state;
  writeFileSync(join(folder, "a.harn"), 'pipeline main(task) { write_file("made.txt", "x") }\n');
  writeFileSync(join(folder, "bad.harn"), "let a = \n");
  writeFileSync(join(folder, "noanswers.jsonl"), "nonsense\n");
});
afterAll(() => {
  if (before === undefined) delete process.env.HARN_STATE_DIR;
  else process.env.HARN_STATE_DIR = before;
});

/** Options that make a server, with others in their place. */
const make = (more: object): Promise<HarnServer> =>
  createServer({ agents: [A], project: folder, ...more } as CreateServerOptions);

async function refusal(making: Promise<unknown>): Promise<HarnError> {
  const error = await making.then(
    () => new Error("nothing was refused"),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(HarnError);
  const { stack = "" } = error as HarnError;
  // Where the program called, and nothing of ours.
  expect(stack).not.toMatch(/src\/(?!library\/errors)/);
  return error as HarnError;
}

const wrong: readonly [object, string][] = [
  [{ prt: 1 }, "there is no option `prt`, did you mean `port`?"],
  [{ deny: "fs.write" }, "there is no option `deny`, did you mean `flags.deny`?"],
  [{ tlsCert: "x" }, "did you mean `tls.cert`?"],
  [{ port: "1" }, "`port` is a string, expected a whole number from 0 to 65535"],
  [{ port: 65_536 }, "`port` is 65536, expected a whole number from 0 to 65535"],
  [{ port: 1.5 }, "`port` is 1.5"],
  [{ host: 5 }, "`host` is 5, expected a text"],
  [{ jobs: 0 }, "`jobs` is 0, expected a whole number from 1 to 256"],
  [{ timeout: "a" }, "`timeout` is a string, expected a whole number from 1"],
  [{ memory: -1 }, "`memory` is -1, expected a whole number from 64 to 1000000"],
  [{ allowedHosts: "x" }, "`allowedHosts` is a string, expected a list"],
  [{ log: 1 }, "`log` is 1, expected a function"],
  [{ report: 1 }, "`report` is 1, expected a function"],
  [{ project: "/nonexist" }, "createServer: `project` is not a folder: /nonexist"],
  [{ tls: { crt: "x" } }, "`tls`: there is no option `crt`, did you mean `cert`?; `cert` is missing"],
  [{ tls: { cert: "x", key: "y" } }, "`tls.cert` has no certificate"],
  [{ flags: { dney: "fs.write" } }, "`flags`: there is no option `dney`, did you mean `deny`?"],
  [{ flags: { mock: "x" } }, "did you mean `llmMock`?"],
  [{ flags: { deny: 5 } }, "`flags`: `deny` is 5"],
  [{ flags: { deny: ["fswrite"] } }, "`flags.deny`: 'fswrite' is neither a builtin nor a capability"],
  [{ flags: { allow: "net=x" } }, "`flags.allow`: 'net=x': only fs"],
  [{ flags: { llmMock: "none.jsonl" } }, "`flags.llmMock`: cannot read"],
  [{ flags: { tape: "noanswers.jsonl" } }, "noanswers.jsonl:1"],
  [{ agents: undefined }, "`agents` is missing"],
  [{ agents: A }, "`agents` is an object, expected a list"],
  [{ agents: [{ name: "x" }] }, "`agents[0]`: `script` is missing"],
  [
    { agents: [A, { ...A, name: "x y" }] },
    "`agents[1]`: `name` is a string, expected a name of 1 to 64 letters",
  ],
  [{ agents: [{ ...A, name: "../x" }] }, "`agents[0]`: `name` is"],
  [{ agents: [A, A] }, "two of `agents` are called `a`"],
  [{ agents: [{ ...A, titel: "x" }] }, "`agents[0]`: there is no option `titel`, did you mean `title`?"],
  [{ agents: [{ ...A, mode: "pln" }] }, '`agents[0]`: `mode` is "pln", expected "plan", "execute"'],
  [{ agents: [{ ...A, config: { max_iteratons: 3 } }] }, "max_iterations"],
  [{ agents: [{ ...A, examples: [1] }] }, "`agents[0]`: `examples[0]` is 1"],
  [{ agents: [{ ...A, script: "no.harn" }] }, "the agent a: no.harn: there is no such file"],
  [{ agents: [{ ...A, script: "bad.harn" }] }, "bad.harn has errors\nerror: "],
  [JSON.parse('{"__proto__": {"port": 1}, "constructor": 1}'), "there is no option `constructor`"],
];

describe("an option that can't be used", () => {
  it.each(wrong)("%j: %s", async (more, text) => {
    // A file made by `JSON.parse` has `__proto__` as a key of its own.
    const options = Object.defineProperties(
      { agents: [A], project: folder },
      Object.getOwnPropertyDescriptors(more),
    );
    const { message, code } = await refusal(createServer(options as CreateServerOptions));
    expect(message).toContain(text);
    expect(code).toMatch(/^HARN-(?:LIB-001|CLI-0\d\d|PAR-\d+)$/);
    // Nothing was begun.
    expect(readdirSync(state)).toEqual([]);
  });

  it.each([[undefined], [null], [{}]])("no options: %j", async (options) => {
    const { message } = await refusal(createServer(options as unknown as CreateServerOptions));
    expect(message).toContain("createServer: `agents` is missing");
  });

  it("all of them are told at once", async () => {
    const { message } = await refusal(make({ prt: 1, jobs: 0, agents: [{}] }));
    for (const part of ["`prt`", "`jobs`", "`name` is missing", "`script` is missing"])
      expect(message).toContain(part);
  });

  it("every flag of runs is one of `flags`", async () => {
    const { message } = await refusal(make({ flags: { "": 1 } }));
    expect(message).toContain(`there are ${Object.keys(workFlags).join(", ")}`);
  });
});

describe("a server that can't be made", () => {
  it("a store of a newer version: a code, and nothing stays open", async () => {
    const newer = join(folder, "newer");
    mkdirSync(newer);
    process.env.HARN_STATE_DIR = newer;
    try {
      await (await make({})).close();
      const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
      const database = new DatabaseSync(join(newer, "state.db"));
      database.exec("PRAGMA user_version = 9999");
      database.close();
      expect((await refusal(make({}))).code).toBe("HARN-CLI-021");
    } finally {
      process.env.HARN_STATE_DIR = state;
    }
    if (existsSync("/proc/self/fd")) expect(openFiles().filter((path) => path.startsWith(newer))).toEqual([]);
  });

  it("a port that is taken is told by `listen`, with its code; `close` ends all the same", async () => {
    const other = netServer();
    await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
    const { port } = other.address() as { port: number };
    const server = await make({ port });
    const { code, message } = await refusal(server.listen());
    expect(code).toBe("HARN-CLI-011");
    expect(message).toBe(
      `127.0.0.1:${port} is taken: another program listens there; \`port\` names another one`,
    );
    await new Promise((done) => other.close(done));
    // It is free now.
    expect(await server.listen()).toBe(`http://127.0.0.1:${port}`);
    expect(await server.listen()).toBe(`http://127.0.0.1:${port}`);
    await server.close();
    await server.close();
    expect((await refusal(server.listen())).code).toBe("HARN-LIB-010");
    expect(() => server.addPrincipal("ann", "read")).toThrow("this server is closed");
  });

  it("principals have names and roles that there are", async () => {
    const server = await make({});
    try {
      const add = (name: unknown, role: unknown) => () => server.addPrincipal(name as string, role as "read");
      expect(add("x y", "read")).toThrow("the name is a string, expected letters, digits");
      expect(add("ann", "god")).toThrow('expected "read", "write", "admin"');
    } finally {
      await server.close();
    }
  });
});

const openFiles = (): string[] => {
  const { readlinkSync } = process.getBuiltinModule("node:fs");
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return [];
    }
  });
};

it.each([
  [{ deny: ["fs.write"] }, []],
  [{ deny: "net,fs.write" }, []],
  [{ allow: ["fs.read", "net"] }, []],
  [{ deny: ["net"] }, ["made.txt"]],
])("%j holds for runs", async (flags, made) => {
  const server = await make({ flags });
  try {
    const token = server.addPrincipal(`ann${JSON.stringify(flags).length}`, "write") as string;
    const client = new HarnClient({ url: await server.listen(), token });
    const { id } = await client.createConversation({ agent: "a", message: { text: "Write." } });
    for await (const { type, data } of client.events(id))
      if (type === "run.end") {
        expect(JSON.stringify(data).includes("fs.write")).toBe(made.length === 0);
        break;
      }
    expect((await client.files(id)).items.map(({ path }) => path)).toEqual(made);
  } finally {
    await server.close();
  }
});

it("one of several that can't run is told to whoever operates the server, which serves the others", async () => {
  const reported: string[] = [];
  const server = await make({
    agents: [A, { name: "bad", script: "bad.harn" }],
    report: (text: string) => void reported.push(text),
  });
  await server.close();
  expect(reported.join("\n")).toContain("the agent bad can't work");
  expect(reported.join("\n")).toContain("--> ");
  expect(readFileSync(join(folder, "bad.harn"), "utf8")).toBe("let a = \n");
});
