/**
 * A full disk: what can't be written is refused with 507 and leaves nothing behind, runs stand still, and everything goes on by
 * itself when there is room.
 */
// suite: processes
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue, StatementSync } from "node:sqlite";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { HarnClient } from "../../../src/server/client.ts";
import { allRoutes } from "../../../src/server/index.ts";
import { cleanEnvironment } from "../../support/command-environment.ts";
import { launcher } from "../../support/project.ts";
import { addressOf, type Ids, nameOf, requestOf, thingsOf } from "../../support/route-requests.ts";
import { until } from "../../support/served.ts";
import { ServerBench } from "../../support/server-bench.ts";
import { canMount, diskOf, fillDisk, makeRoom, mountLine } from "../../support/small-disk.ts";
import { tempFolder } from "../../support/temp-folder.ts";

describe("every route that writes", () => {
  const bench = new ServerBench(tempFolder("full"));
  const { run } = StatementSync.prototype;
  let ids: Ids;

  /** Does it while no transaction can be committed, as SQLite says it of a full disk. */
  async function full<T>(work: () => Promise<T>): Promise<T> {
    let writes = false;
    StatementSync.prototype.run = function (this: StatementSync, ...values: SQLInputValue[]) {
      const { sourceSQL: sql } = this;
      if (sql.startsWith("BEGIN")) writes = sql === "BEGIN IMMEDIATE";
      if (sql === "COMMIT" && writes)
        throw Object.assign(new Error("database or disk is full"), { errcode: 13 });
      return (run as (...all: SQLInputValue[]) => ReturnType<typeof run>).apply(this, values);
    } as typeof run;
    try {
      return await work();
    } finally {
      StatementSync.prototype.run = run;
    }
  }

  /** Everything that is kept: all rows, all files of workspaces. */
  function kept(): string {
    const db = new DatabaseSync(join(bench.folder, "state.db"), { readOnly: true });
    const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all();
    const rows = tables.map(({ name }) => [name, db.prepare(`SELECT * FROM "${name}"`).all()]);
    db.close();
    const folder = join(bench.folder, "workspaces");
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path, entry.isFile() ? readFileSync(path, "utf8") : null];
    });
    return JSON.stringify([rows, files], (_key, value) => (typeof value === "bigint" ? `${value}` : value));
  }

  beforeAll(async () => {
    const anns = await thingsOf("ann", bench, "title");
    await bench.ask("/api/library", { as: "ann", body: { bibtex: "@misc{doe, title = {T}}" } });
    ids = anns;
  });
  afterAll(() => bench.close());
  beforeEach(() => {
    bench.now += 100_000;
  });

  /** Where another conversation is needed than one that works: one that waits with a message. */
  const ofWaiting = ["DELETE /api/conversations/{id}", "DELETE /api/conversations/{id}/messages/{message}"];
  /** Nothing of what they do with these ids is kept, or they are refused before. */
  const writesNothing = ["POST /api/login", "POST /api/logout"];
  const others = [
    // Goes on only with what was stopped.
    "POST /api/conversations/{id}/resume",
    // The run has no step yet.
    "POST /api/conversations/{id}/forks",
    "POST /api/runs/{run}/forks",
  ];
  const rows = allRoutes.filter(
    (row) => row.method !== "GET" && ![...writesNothing, ...others].includes(nameOf(row)),
  );

  test.each(rows.map((row) => [nameOf(row), row] as const))("%s: 507, nothing stays", async (name, row) => {
    const as = row.role === "admin" ? "root" : "ann";
    let of = ids;
    if (ofWaiting.includes(name)) {
      const id = await bench.conversation("ann", { message: { text: "wait" } });
      of = { ...ids, id, message: bench.conversations.messages({ id })[0]?.id ?? "" };
    }
    const asked = requestOf(row, as);
    const wish = name === "POST /api/interrupt" ? { ...asked, body: { conversation: of.id } } : asked;
    const before = kept();
    const { status, json, text } = await full(() => bench.ask(addressOf(row, of), wish));
    expect([status, json?.type, json?.code], text).toEqual([
      507,
      "urn:harn:problem:disk-full",
      "HARN-SRV-028",
    ]);
    expect(kept()).toBe(before);
  });

  test("the same request with the same key does it when there is room", async () => {
    const wish = { body: { agent: "echo" }, headers: { "idempotency-key": "room" } };
    const ask = () => bench.ask("/api/conversations", wish);
    expect((await full(ask)).status).toBe(507);
    const made = await ask();
    expect([made.status, made.headers.get("idempotent-replay")]).toEqual([201, null]);
    expect((await ask()).headers.get("idempotent-replay")).toBe("true");
  });

  test("what is read is read", async () => {
    const asked = ["/api/conversations", `/api/conversations/${ids.id}/events`, `/api/papers/${ids.paper}`];
    for (const path of asked) expect([path, (await full(() => bench.ask(path))).status]).toEqual([path, 200]);
  });
});

const folder = tempFolder("full-disk");
describe.skipIf(!canMount())("a server on a disk that is full for a while", () => {
  const token = "0123456789abcdef0123456789abcdef";

  async function serve(name: string, script: string, args: readonly string[] = []) {
    const disk = join(folder, name);
    const source = join(folder, `${name}.harn`);
    writeFileSync(source, script);
    const line = `${mountLine(disk, 3)} && cd ${disk} && cp ${source} agent.harn && exec "$0" serve agent.harn --port 0 "$@"`;
    const child = spawn("unshare", ["-m", "sh", "-c", line, launcher, ...args], {
      env: cleanEnvironment({ HARN_SERVE_TOKEN: token }),
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    const ended = new Promise<number | null>((done) => child.once("exit", (code) => done(code)));
    onTestFinished(async () => {
      child.kill("SIGKILL");
      await ended;
    });
    await until(
      () => /http:\/\/[^/]+/.test(output),
      () => output,
    );
    const url = /http:\/\/[^/]+/.exec(output)?.[0] ?? "";
    // As the server sees it.
    const inside = diskOf(child.pid, disk);
    return {
      inside,
      client: new HarnClient({ url, token }),
      output: () => output,
      fill: () => fillDisk(inside),
      makeRoom: () => makeRoom(inside),
      end: () => {
        child.kill("SIGTERM");
        return ended;
      },
    };
  }

  /** Each step leaves a line that must be there once, and more than a page in the journal. */
  const steps = `append_file("log.txt", "begin\\n")
for i in range(6) {
  while !file_exists("go-\${i}") { sleep(50) }
  env_or("A\${i}", "\${i}".repeat(30000))
  append_file("log.txt", "step \${i}\\n")
}
`;
  const lines = `begin\n${[0, 1, 2, 3, 4, 5].map((n) => `step ${n}\n`).join("")}`;

  test("its run stands still, says so, and goes on by itself; nothing is done twice", async () => {
    const server = await serve("goes-on", steps);
    const { client } = server;
    const { id } = await client.createConversation({ agent: "agent", message: { text: "go" } });
    const workspace = join(server.inside, ".harn/workspaces", id);
    const log = () =>
      existsSync(join(workspace, "log.txt")) ? readFileSync(join(workspace, "log.txt"), "utf8") : "";
    await until(() => log() === "begin\n", server.output);
    // Full before the first step may go: on a busy machine all six were done before it was.
    server.fill();
    for (let n = 0; n < 6; n++) writeFileSync(join(workspace, `go-${n}`), "");
    await until(() => server.output().includes("goes on when there is room"), server.output);
    await expect(client.say(id, { text: "more" })).rejects.toMatchObject({ status: 507 });
    expect((await client.conversation(id)).state).toBe("processing");
    server.makeRoom();
    await until(
      () => log() === lines,
      () => `${log()}\n${server.output()}`,
    );
    await until(() => server.output().includes("there is room again"), server.output);
    for (;;) if ((await client.conversation(id)).state === "idle") break;
    const { items } = await client.eventPage(id);
    expect(items.filter(({ type }) => type === "run.end")).toHaveLength(1);
    const notice = items.find(({ type }) => type === "notice");
    expect(notice?.data).toMatchObject({
      level: "warning",
      text: expect.stringContaining("the disk was full"),
    });
    expect(await server.end()).toBe(0);
  });

  test("Stop holds where the run has no process at the moment: it does not go on when there is room", async () => {
    const server = await serve("waits", steps);
    const { client } = server;
    const { id } = await client.createConversation({ agent: "agent", message: { text: "go" } });
    const state = async () => (await client.conversation(id)).state;
    while ((await state()) !== "processing") await new Promise((done) => setTimeout(done, 20));
    const workspace = join(server.inside, ".harn/workspaces", id);
    server.fill();
    writeFileSync(join(workspace, "go-0"), "");
    writeFileSync(join(workspace, "go-1"), "");
    // Its process ended because its journal could not be written.
    await until(() => server.output().includes("goes on when there is room"), server.output);
    await expect(client.interrupt(id)).rejects.toMatchObject({ status: 507 });
    server.makeRoom();
    while ((await state()) !== "interrupted") await new Promise((done) => setTimeout(done, 20));
    const { items } = await client.eventPage(id);
    expect(items.filter(({ type }) => type === "run.end")).toHaveLength(1);
    expect(await server.end()).toBe(0);
  });

  test("Stop stops what can't be noted, and it is noted when there is room; the end is in order on a full disk", async () => {
    const server = await serve("stops", "while true { sleep(20) }\n");
    const { client } = server;
    const { id } = await client.createConversation({ agent: "agent", message: { text: "go" } });
    const state = async () => (await client.conversation(id)).state;
    while ((await state()) !== "processing") await new Promise((done) => setTimeout(done, 20));
    server.fill();
    await expect(client.interrupt(id)).rejects.toMatchObject({ status: 507 });
    await until(() => server.output().includes("goes on when there is room"), server.output);
    server.makeRoom();
    while ((await state()) !== "interrupted") await new Promise((done) => setTimeout(done, 20));
    const { items } = await client.eventPage(id);
    expect(items.filter(({ type }) => type === "run.end")).toMatchObject([
      { data: { status: "interrupted" } },
    ]);
    server.fill();
    expect(await server.end()).toBe(0);
    expect(server.output()).not.toMatch(/\n\s+at /);
  });
});
