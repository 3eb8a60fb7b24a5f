/** `[cluster]` of harn.toml, read and judged. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ClusterSettings, clusterSettings } from "../../../src/cluster/index.ts";
import { databasePlace } from "../../../src/cluster/journals/connection.ts";
import type { UsageError } from "../../../src/host/command/index.ts";
import { inProcess } from "../../../src/process/index.ts";
import { madeProcess } from "../../../src/process/made-process.ts";
import { harnHere } from "../../support/harn-here.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("cluster-settings");
const here = "postgres://ann:hush@127.0.0.1:5432/harn";
const usual = 'engine = "temporal://127.0.0.1:7233/default"';

interface Given {
  /** Lines of `[cluster]`. */
  readonly lines?: string;
  /** The whole file, instead. */
  readonly toml?: string | undefined;
  readonly env?: Record<string, string>;
  readonly files?: Record<string, string>;
  /** Of the project. */
  readonly folder?: string;
}

function project({
  lines = usual,
  toml = `[cluster]\n${lines}\n`,
  files = {},
  folder = "refunds",
}: Given): string {
  const path = join(freshFolder(), folder);
  mkdirSync(path, { recursive: true });
  for (const [name, text] of Object.entries({ ...files, ...(toml === "" ? {} : { "harn.toml": toml }) }))
    writeFileSync(join(path, name), text);
  return path;
}

function settings(given: Given): Promise<ClusterSettings> {
  const cwd = project(given);
  const nothing = (): void => {};
  const own = madeProcess({
    cwd,
    env: { HOME: cwd, HARN_JOURNALS: here, ...given.env },
    stdout: nothing,
    stderr: nothing,
    exit: () => new Error("ended"),
  });
  return inProcess(own, () => clusterSettings(join(cwd, "harn.toml")));
}

const refused = async (given: Given): Promise<string> => {
  const error = await settings(given).then(
    (read) => expect.fail(`taken: ${JSON.stringify(read)}`),
    (refusal: UsageError) => refusal,
  );
  expect(error.code).toMatch(/^HARN-CLU-/);
  return error.text.replaceAll(/\S*\/(refunds\/harn\.toml)/g, "$1");
};

it("has what is usual", async () => {
  expect(await settings({})).toEqual({
    engine: {
      address: "127.0.0.1:7233",
      namespace: "default",
      tls: false,
      ca: undefined,
      certificate: undefined,
      apiKey: undefined,
    },
    journals: here,
    queue: "harn",
    leaseMs: 30_000,
    project: "refunds",
  });
});

it("takes everything that is said", async () => {
  const read = await settings({
    lines: `engine = "temporals://ns.acct.tmprl.cloud:7233/ns.acct"
api_key = "file:key.txt"
tls_ca = "ca.pem"
tls_cert = "cert.pem"
tls_key = "key.pem"
journals = "env:ELSEWHERE"
queue = "gpu.big"
lease = "1m30s"
project = "refunds-2"`,
    // Named outside of the project: no agreement is needed.
    env: { ELSEWHERE: ` ${here}\n`, XDG_CONFIG_HOME: "/nowhere" },
    files: { "key.txt": "sesame\n", "ca.pem": "CA", "cert.pem": "CERT", "key.pem": "KEY" },
  }).catch((error: UsageError) => error.code);
  // The key is the user's, the address the project's.
  expect(read).toBe("HARN-CLU-006");
  const lines = `engine = "env:ENGINE"
api_key = "file:key.txt"
tls_ca = "ca.pem"
tls_cert = "cert.pem"
tls_key = "key.pem"
journals = "env:ELSEWHERE"
queue = "gpu.big"
lease = "1m30s"
project = "refunds-2"`;
  expect(
    await settings({
      lines,
      env: { ELSEWHERE: ` ${here}\n`, ENGINE: "temporals://ns.acct.tmprl.cloud/ns.acct" },
      files: { "key.txt": "sesame\n", "ca.pem": "CA", "cert.pem": "CERT", "key.pem": "KEY" },
    }),
  ).toEqual({
    engine: {
      address: "ns.acct.tmprl.cloud:7233",
      namespace: "ns.acct",
      tls: true,
      ca: "CA",
      certificate: { cert: "CERT", key: "KEY" },
      apiKey: "sesame",
    },
    journals: here,
    queue: "gpu.big",
    leaseMs: 90_000,
    project: "refunds-2",
  });
});

it("says what to write where there is no [cluster] (HARN-CLU-002)", async () => {
  const lines = [
    "",
    "  write into it, with the places of yours:",
    "  [cluster]",
    '  engine = "temporal://127.0.0.1:7233/default"',
    '  journals = "env:HARN_JOURNALS"',
    "  and set HARN_JOURNALS to the address of PostgreSQL: postgres://USER:PASSWORD@HOST:5432/DATABASE",
  ].join("\n");
  expect(await refused({ toml: '[package]\nname = "x"\n' })).toBe(
    `refunds/harn.toml has no [cluster] (HARN-CLU-002)${lines}`,
  );
  expect(await refused({ toml: "", files: { ".git": "" } })).toMatch(
    /^there is no harn\.toml above .*CLU-002/,
  );
});

describe("what the lines it shows come to", () => {
  it("is taken", async () => {
    const shown = await refused({ toml: "", files: { ".git": "" } });
    const lines = shown.split("\n").filter((line) => / = /.test(line));
    expect(await settings({ lines: lines.join("\n") })).toMatchObject({ queue: "harn", journals: here });
  });
});

it.each<[string, string, RegExp, Record<string, string>?]>([
  ["no engine", "", /\[cluster\]: engine: .*CLU-003/],
  ["no table", "cluster", /expected a table/],
  ["an unknown key", `${usual}\nqueu = "x"`, /queu.*queue/],
  ["a wrong type", `${usual}\nqueue = 3`, /queue: expected string, got int/],
  ["another scheme", 'engine = "grpc://127.0.0.1:7233"', /expected temporal:\/\/.*it begins with neither/],
  ["no host", 'engine = "temporal:///x"', /host or port are none/],
  ["a port that is none", 'engine = "temporal://127.0.0.1:99999"', /host or port are none/],
  ["a namespace that is none", 'engine = "temporal://127.0.0.1/a/b"', /the namespace is none/],
  ["more than a namespace", 'engine = "temporal://127.0.0.1/a?b=c"', /something follows/],
  ["a lease that is too short", `${usual}\nlease = "4s"`, /lease: expected a duration from 5s on.*"4s"/],
  ["a lease that is none", `${usual}\nlease = "soon"`, /"soon"/],
  ["a queue with a slash", `${usual}\nqueue = "a/b"`, /queue: expected 1 to 64 letters/],
  ["a project in capitals", `${usual}\nproject = "Refunds"`, /project: expected 1 to 40 lower-case/],
  ["a variable that is not set", 'engine = "env:NOT_SET"', /the environment has no NOT_SET/],
  ["a file that is not there", `${usual}\njournals = "file:no.txt"`, /no\.txt can't be read: ENOENT/],
  ["half a certificate", `${usual}\ntls_cert = "harn.toml"`, /tls_key: tls_cert and tls_key go together/],
  ["no database", `${usual}\njournals = "mysql://x"`, /journals: .*postgres:\/\//],
])("refuses %s (HARN-CLU-003)", async (title, lines, words) => {
  const toml = title === "no table" ? "cluster = 1\n" : undefined;
  const text = await refused({ lines, toml });
  expect(text).toMatch(words);
  expect(text).toContain("HARN-CLU-003");
});

it.each<[string, string]>([
  ["in the engine's address", 'engine = "temporal://ann:hush@127.0.0.1:7233/default"'],
  ["as the engine's key", `${usual}\napi_key = "hush"`],
  ["in the database's address", `${usual}\njournals = "postgres://ann:hush@127.0.0.1/harn"`],
  ["behind the database's address", `${usual}\njournals = "postgres://ann@127.0.0.1/harn?password=hush"`],
  ["as a private key", `${usual}\ntls_key = """-----BEGIN PRIVATE KEY-----\nhush"""`],
])("refuses a password %s, and does not repeat it (HARN-CLU-004)", async (_where, lines) => {
  const text = await refused({ lines });
  expect(text).toContain("HARN-CLU-004");
  expect(text).not.toContain("hush");
});

it.each([
  ["env:BAD", { BAD: "postgres//ann:hush@db" }],
  ["env:BAD", { BAD: "postgres://ann:hush@db/harn?sslmode=maybe" }],
  ["env:BAD", { BAD: "postgres://ann:hush@db/harn" }],
])("does not repeat what a variable says: %s %j", async (journals, env) => {
  expect(await refused({ lines: `${usual}\njournals = "${journals}"`, env })).not.toContain("hush");
});

describe("another machine", () => {
  const away = "postgres://ann:hush@db.example/harn";
  it.each<[string, string, Record<string, string>]>([
    ["the engine", 'engine = "temporal://10.0.0.1:7233"', {}],
    ["the engine, by a variable", 'engine = "env:E"', { E: "temporal://engine.example" }],
    ["the database", usual, { HARN_JOURNALS: away }],
    ["the database, encrypted for anybody", usual, { HARN_JOURNALS: `${away}?sslmode=require` }],
    ["the database, by a parameter", usual, { HARN_JOURNALS: `${here}?host=db.example` }],
  ])("needs TLS that is checked: %s (HARN-CLU-005)", async (_what, lines, env) => {
    const text = await refused({ lines, env });
    expect(text).toMatch(/is another machine[\s\S]*HARN-CLU-005[\s\S]*trusted_network = true/);
    expect(await settings({ lines: `${lines}\ntrusted_network = true`, env })).toMatchObject({
      queue: "harn",
    });
  });

  it.each<[string, Record<string, string>]>([
    ['engine = "temporals://engine.example"', { HARN_JOURNALS: `${away}?sslmode=verify-full` }],
    ['engine = "temporal://[::1]:7233"', { HARN_JOURNALS: "postgres://ann:hush@localhost/harn" }],
    [
      'engine = "temporal://localhost"',
      { HARN_JOURNALS: "postgres://ann@localhost/harn?host=/run/postgresql" },
    ],
  ])("is not meant, or is checked: %s", async (lines, env) => {
    expect(await settings({ lines, env })).toMatchObject({ journals: env.HARN_JOURNALS });
  });
});

describe("a key of the user, and an address that only the project names", () => {
  const lines = 'engine = "temporals://engine.example"';
  const env = { TEMPORAL_API_KEY: "sesame" };

  it("do not come together (HARN-CLU-006)", async () => {
    expect(await refused({ lines, env })).toMatch(
      /\[cluster\]: what env:TEMPORAL_API_KEY says is not sent to engine\.example:7233[\s\S]*HARN-CLU-006[\s\S]*harn trust/,
    );
    // A file that it names is the project, too: one may come with it wherever it lies.
    for (const name of ["e.txt", "..e.txt", "../e.txt"])
      expect(
        await refused({
          lines: `engine = "file:${name}"`,
          env,
          files: { [name]: "temporals://engine.example" },
        }),
      ).toContain("HARN-CLU-006");
    expect(
      await refused({
        lines: `${usual}\njournals = "postgres://ann@db.example/harn?sslmode=verify-full"`,
        env: { PGPASSWORD: "hush" },
      }),
    ).toMatch(/what env:PGPASSWORD says is not sent to db\.example/);
  });

  it("do where the user names it, and on this machine", async () => {
    const named = await settings({
      lines: 'engine = "env:E"',
      env: { ...env, E: "temporals://engine.example" },
    });
    expect(named.engine.apiKey).toBe("sesame");
    expect((await settings({ env })).engine.apiKey).toBe("sesame");
  });

  it("do where the user agreed to it, to the table as it is and the address that it comes to", async () => {
    const cwd = project({
      lines: `engine = "file:e.txt"`,
      files: { "e.txt": "temporals://engine.example\n" },
    });
    const with_ = { cwd, env: { ...env, HARN_JOURNALS: here, XDG_CONFIG_HOME: join(cwd, "config") } };
    const trusted = await harnHere(["trust"], with_);
    expect(trusted.stdout).toContain("[cluster]  engine.example:7233 gets the key in env:TEMPORAL_API_KEY\n");
    const nothing = (): void => {};
    const read = (): Promise<ClusterSettings> =>
      inProcess(
        madeProcess({ ...with_, stdout: nothing, stderr: nothing, exit: () => new Error("ended") }),
        () => clusterSettings(join(cwd, "harn.toml")),
      );
    expect((await read()).engine.apiKey).toBe("sesame");
    writeFileSync(join(cwd, "e.txt"), "temporals://evil.example\n");
    await expect(read()).rejects.toMatchObject({ code: "HARN-CLU-006" });
  });
});

it("the password of the environment stands in the address of the database where that brings none", async () => {
  const placeOf = async (address: string): Promise<unknown> =>
    databasePlace((await settings({ env: { HARN_JOURNALS: address, PGPASSWORD: "h +&%ü" } })).journals);
  expect(await placeOf("postgres://ann@127.0.0.1/harn")).toMatchObject({ user: "ann", password: "h +&%ü" });
  expect(await placeOf("postgres:///harn?host=/run/pg")).toMatchObject({
    host: "/run/pg",
    password: "h +&%ü",
  });
  expect(await placeOf(here)).toMatchObject({ password: "hush" });
});

describe("the project's name", () => {
  const named = async (toml: string, folder = "refunds"): Promise<string> =>
    (await settings({ toml: `${toml}\n[cluster]\n${usual}\n`, folder })).project;

  it("is what it says, else the package's, else the folder's", async () => {
    expect(await named('[package]\nname = "shop"')).toBe("shop");
    expect(await named("")).toBe("refunds");
  });

  it("is made safe, so that other names stay others", async () => {
    const one = await named("", "Mein Projekt");
    expect(one).toMatch(/^mein-projekt-[0-9a-f]{8}$/);
    expect(await named("", "Mein_Projekt!")).not.toBe(one);
    expect(await named("", "проект")).toMatch(/^project-[0-9a-f]{8}$/);
    const long = await named("", "x".repeat(100));
    expect(long).toMatch(/^x+-[0-9a-f]{8}$/);
    expect(long.length).toBe(40);
    expect(await named('[package]\nname = "__proto__"')).toMatch(/^proto__-[0-9a-f]{8}$/);
  });
});

it("is judged by `harn check`, and no matter to a run that stays here", async () => {
  const cwd = project({ lines: 'engine = "x"\nqueu = "y"', files: { "a.harn": 'println("here")\n' } });
  const run = await harnHere(["run", "a.harn"], { cwd });
  expect(run).toMatchObject({ status: 0, stdout: "here\n", stderr: "" });
  const check = await harnHere(["check", "a.harn"], { cwd });
  expect(check.stdout + check.stderr).toMatch(/unknown key `queu` in \[cluster\]/);
});
