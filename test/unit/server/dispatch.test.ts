/** Rows of the table of routes: validation, roles, problems, keys; what is refused before a handler sees it. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { catalogue } from "../../../src/diagnostics/index.ts";
import { allRoutes, openApi } from "../../../src/server/index.ts";
import { HttpProblem } from "../../../src/server/problems.ts";
import { problemStatus } from "../../../src/server/protocol/index.ts";
import { ok, type Route, route } from "../../../src/server/route.ts";
import { basicRoutes } from "../../../src/server/routes/basics.ts";
import { type Asked, ServerBench } from "../../support/server-bench.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const rows: readonly Route[] = [
  ...basicRoutes,
  route({
    method: "POST",
    path: "/api/things/{id}",
    role: "write",
    doc: "Makes a thing.",
    query: z.strictObject({
      n: z.coerce.number().int().max(9).optional(),
      limit: z.coerce.number().default(3),
      order: z.enum(["newest", "oldest"]).optional(),
    }),
    body: z.strictObject({
      name: z.string().max(10),
      inner: z.strictObject({ n: z.number() }).optional(),
      mode: z.enum(["plan", "execute"]).nullable().optional(),
      list: z.array(z.strictObject({ path: z.string().optional() })).default([]),
      form: z
        .union([
          z.strictObject({ decision: z.enum(["approve", "deny"]), reason: z.string().optional() }),
          z.strictObject({ answer: z.json() }),
        ])
        .optional(),
    }),
    answers: { 201: z.unknown() },
    handler: (context, { params, query, body }) =>
      context.commit(() => {
        count++;
        return { status: 201, body: { id: params.id, n: query.n, name: body.name, count } };
      }),
  }),
  route({
    method: "GET",
    path: "/api/things/{id}/files/{path*}",
    role: "read",
    doc: "A file.",
    answers: { 200: z.unknown() },
    handler: (_context, { params }) => ok(params),
  }),
  route({
    method: "GET",
    path: "/api/broken",
    role: "admin",
    doc: "Fails.",
    answers: { 200: z.unknown() },
    handler: () => {
      throw new Error(`secret at ${import.meta.filename}`);
    },
  }),
  route({
    method: "POST",
    path: "/api/slow",
    role: "write",
    doc: "Waits for the test.",
    answers: { 200: z.unknown() },
    handler: async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return ok({});
    },
  }),
  ...Object.keys(problemStatus).map((slug) =>
    route({
      method: "GET",
      path: `/api/problems/${slug}`,
      role: "none",
      doc: "A problem.",
      answers: {},
      handler: () => {
        throw new HttpProblem(slug as keyof typeof problemStatus, "because of the test");
      },
    }),
  ),
];

let count = 0;
let release: (() => void) | undefined;
const bench = new ServerBench(tempFolder("server"), { routes: rows });
afterAll(() => bench.close());
beforeEach(() => {
  // So that no test reaches the limits of those before it.
  bench.now += 100_000;
  bench.logged.length = 0;
});

const ask = (path: string, asked?: Asked) => bench.ask(path, asked);

describe("what a row says", () => {
  test("health needs no login", async () => {
    expect((await ask("/api/health", { as: "" })).json).toEqual({ status: "ok", version: "1.2.3" });
  });

  test("path, query and body reach the handler", async () => {
    const { status, json } = await ask("/api/things/a%20b?n=3", { body: { name: "x" } });
    expect([status, json.id, json.n, json.name]).toEqual([201, "a b", 3, "x"]);
  });

  test("`{path*}` takes the rest and is decoded once", async () => {
    expect((await ask("/api/things/t/files/a/b%252e/c")).json).toEqual({ id: "t", path: "a/b%2e/c" });
  });

  test("roles", async () => {
    expect((await ask("/api/things/t", { as: "bob", body: { name: "x" } })).json).toMatchObject({
      type: "urn:harn:problem:forbidden",
      code: "HARN-SRV-005",
    });
    expect((await ask("/api/things/t", { as: "root", body: { name: "x" } })).status).toBe(201);
    const none = await ask("/api/me", { as: "" });
    expect([none.status, none.json.code, none.headers.get("www-authenticate")]).toEqual([
      401,
      "HARN-SRV-004",
      "Bearer",
    ]);
  });

  test("another method is 405 with those there are; another address 404", async () => {
    const wrong = await ask("/api/me", { method: "PUT", body: {} });
    expect([wrong.status, wrong.json.code, wrong.headers.get("allow")]).toEqual([
      405,
      "HARN-SRV-010",
      "HEAD, GET",
    ]);
    expect((await ask("/api/nothing")).status).toBe(404);
    expect((await ask("/api/me", { method: "HEAD" })).text).toBe("");
  });
});

describe("bad input", () => {
  test.each([
    ["wrong type", { name: 3 }, "body.name"],
    ["unknown field", { name: "x", nam: 1 }, "body.nam"],
    ["nested", { name: "x", inner: { n: "1", m: 2 } }, "body.inner.m body.inner.n"],
    ["too long", { name: "x".repeat(11) }, "body.name"],
    ["no object", [], "body"],
  ])("%s: 422 with paths", async (_what, body, paths) => {
    const { status, json } = await ask("/api/things/t", { body });
    expect([status, json.code]).toEqual([422, "HARN-SRV-020"]);
    expect(json.errors.map((one: { path: string }) => one.path).join(" ")).toBe(paths);
  });

  test.each([
    ["a field", "", { nam: "x" }, "body.nam: there is no such field; did you mean `name`?"],
    ["a nested field", "", { name: "x", inner: { n: 1, N: 2 } }, "there is no such field; did you mean `n`?"],
    ["nothing near", "", { name: "x", colour: 1 }, "body.colour: there is no such field; there are `name`, "],
    [
      "a query parameter",
      "?limt=3",
      { name: "x" },
      "query.limt: there is no such field; did you mean `limit`?",
    ],
    ["a value", "", { name: "x", mode: "Plan" }, 'must be "plan" or "execute"; did you mean `plan`?'],
    [
      "a value of a query",
      "?order=newst",
      { name: "x" },
      'must be "newest" or "oldest"; did you mean `newest`?',
    ],
    [
      "in a list",
      "",
      { name: "x", list: [{}, { pth: "a" }] },
      "body.list[1].pth: there is no such field; did you",
    ],
    [
      "in one of two forms",
      "",
      { name: "x", form: { decision: "aprove" } },
      'body.form.decision: must be "approve" or "deny"; did you mean `approve`?',
    ],
    ["of one of two forms", "", { name: "x", form: { answr: 3 } }, "did you mean `answer`?"],
    [
      "in no form",
      "",
      { name: "x", form: 3 },
      "body.form: must be an object with `decision`, `reason`, or an object with `answer`",
    ],
  ])("%s: what was probably meant", async (_what, query, body, report) => {
    const { status, json } = await ask(`/api/things/t${query}`, { body });
    expect(status).toBe(422);
    const errors = json.errors.map((one: { path: string; message: string }) => `${one.path}: ${one.message}`);
    expect(errors.join("\n")).toContain(report);
    expect(json.detail).toContain(errors[0]);
    expect(json.errors.some(({ message }: { message: string }) => /aprove|newst|Plan\b/.test(message))).toBe(
      false,
    );
  });

  test("`__proto__` is refused, and nothing inherits it", async () => {
    const { status, json } = await ask("/api/things/t", {
      raw: '{"name":"x","inner":{"n":1,"__proto__":{"m":1}}}',
    });
    expect([status, json.errors[0].path]).toEqual([422, "body.inner.__proto__"]);
  });

  test.each([
    ["broken", "{"],
    ["deep", `{"name":${"[".repeat(80)}${"]".repeat(80)}}`],
    ["not UTF-8", new Uint8Array([0x22, 0xff, 0x22])],
  ])("%s JSON: 400 bad-json", async (_what, raw) => {
    const { status, json } = await ask("/api/things/t", { raw });
    expect([status, json.type]).toEqual([400, "urn:harn:problem:bad-json"]);
  });

  test("no body at all is said so", async () => {
    const { status, json } = await ask("/api/things/t", { raw: " " });
    expect([status, json.detail]).toEqual([400, "there is no body: send JSON"]);
  });

  test("brackets in texts are no nesting", async () => {
    expect((await ask("/api/things/t", { body: { name: '["\\[[[[[[' } })).status).toBe(201);
  });

  test("a huge body is 413, another type 415, halves of surrogates become U+FFFD", async () => {
    expect((await ask("/api/things/t", { raw: new Uint8Array(2 * 1024 * 1024 + 1) })).status).toBe(413);
    expect(
      (await ask("/api/things/t", { raw: "name=x", headers: { "content-type": "text/plain" } })).json,
    ).toMatchObject({ status: 415, code: "HARN-SRV-019" });
    expect((await ask("/api/things/t", { raw: '{"name":"a\\ud800"}' })).json.name).toBe("a\ufffd");
  });

  test("query and path", async () => {
    const unknown = await ask("/api/things/t?m=1", { body: { name: "x" } });
    expect([unknown.status, unknown.json.errors[0].path]).toEqual([422, "query.m"]);
    expect((await ask("/api/things/t?n=1&n=2", { body: { name: "x" } })).status).toBe(422);
    expect((await ask("/api/things/%ff", { body: { name: "x" } })).json).toMatchObject({
      type: "urn:harn:problem:bad-path",
      code: "HARN-SRV-003",
    });
  });

  test("Accept that nothing fits: 406", async () => {
    expect((await ask("/api/me", { headers: { accept: "image/png" } })).json).toMatchObject({
      status: 406,
      code: "HARN-SRV-011",
    });
    expect((await ask("/api/me", { headers: { accept: "text/html, */*;q=0.1" } })).status).toBe(200);
  });
});

describe("a case for each slug", () => {
  test.each(Object.entries(problemStatus))("%s", async (slug, status) => {
    const { status: got, json, headers } = await ask(`/api/problems/${slug}`, { as: "" });
    expect(got).toBe(status);
    expect(headers.get("content-type")).toBe("application/problem+json");
    expect(json).toMatchObject({ type: `urn:harn:problem:${slug}`, status, detail: "because of the test" });
    expect(json.title).toBe(catalogue[json.code as "HARN-SRV-001"].message(undefined));
  });
});

test("a mistake of ours tells no stack, no path, no message; the log has it", async () => {
  const { status, json, text } = await ask("/api/broken", { as: "root" });
  expect([status, json.code]).toEqual([500, "HARN-SRV-025"]);
  expect(text).not.toMatch(/secret|\/work|dispatch\.test|at /);
  expect(bench.logged[0]?.error).toContain("secret");
  expect(json.detail).toContain(bench.logged[0]?.error?.split(":")[0]);
});

test("the log has method, route pattern, status and principal, no query and no token", async () => {
  await ask("/api/things/hidden?n=3", { body: { name: "x" } });
  expect(bench.logged).toEqual([
    { method: "POST", route: "/api/things/{id}", status: 201, ms: 0, principal: "ann" },
  ]);
});

describe("hosts, origins, forgery", () => {
  test.each([
    ["127.0.0.1:4747", 200],
    ["localhost:4747", 200],
    ["[::1]:4747", 200],
    ["LOCALHOST:4747", 200],
    ["127.0.0.1:4748", 403],
    ["127.0.0.1", 403],
    ["evil.example:4747", 403],
    ["127.0.0.1.evil.example:4747", 403],
  ])("Host %s: %d", async (host, status) => {
    const answer = await ask("/api/health", { as: "", host });
    expect(answer.status).toBe(status);
    if (status === 403) expect(answer.json.code).toBe("HARN-SRV-006");
  });

  test.each([
    ["http://127.0.0.1:4747", 200],
    ["http://localhost:4747", 403],
    ["http://evil.example", 403],
    ["null", 403],
  ])("Origin %s: %d", async (origin, status) => {
    const { status: got, headers, json } = await ask("/api/me", { headers: { origin } });
    expect(got).toBe(status);
    if (status === 403) expect(json.code).toBe("HARN-SRV-007");
    expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  const byCookie = (port = 4747) => ({ cookie: `harn_${port}=${bench.cookie("ann")}` });
  const site = { "sec-fetch-site": "same-origin" };
  test.each([
    [{ ...site, "x-harn": "1" }, 201],
    [{ origin: "http://127.0.0.1:4747", "x-harn": "1" }, 201],
    [site, 403],
    [{ "x-harn": "1" }, 403],
    [{ "sec-fetch-site": "same-site", "x-harn": "1" }, 403],
    [{ "sec-fetch-site": "cross-site", origin: "http://127.0.0.1:4747", "x-harn": "1" }, 403],
    [{ ...site, "x-harn": "1", "content-type": "text/plain" }, 403],
  ])("by cookie with %j: %d", async (headers, status) => {
    const { status: got, json } = await ask("/api/things/t", {
      as: "",
      body: { name: "x" },
      headers: { ...byCookie(), ...(headers as Record<string, string>) },
    });
    expect(got).toBe(status);
    if (status === 403) expect(json).toMatchObject({ type: "urn:harn:problem:csrf", code: "HARN-SRV-008" });
  });

  test("looking by cookie needs nothing else; the cookie of another port is nobody's", async () => {
    expect((await ask("/api/me", { as: "", headers: byCookie() })).json).toEqual({
      name: "ann",
      role: "write",
    });
    expect((await ask("/api/me", { as: "", headers: byCookie(4748) })).status).toBe(401);
  });

  test("headers that every answer has", async () => {
    const { headers } = await ask("/api/health", { as: "" });
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("cache-control")).toBe("no-store");
  });
});

describe("logging in", () => {
  test("a code gives a cookie that scripts can't read", async () => {
    const code = bench.server.access.newCode("ann");
    const { status, headers } = await ask("/api/login", { as: "", body: { code } });
    expect(status).toBe(204);
    expect(headers.get("set-cookie")).toMatch(
      /^harn_4747=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=2592000$/,
    );
    const cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
    expect((await ask("/api/me", { as: "", headers: { cookie } })).json).toEqual({
      name: "ann",
      role: "write",
    });
    expect((await ask("/api/login", { as: "", body: { code } })).status).toBe(401);
  });

  test("a code is over after ten minutes, a login after thirty days or with its principal", async () => {
    const code = bench.server.access.newCode("ann");
    bench.now += 600_000;
    expect((await ask("/api/login", { as: "", body: { code } })).status).toBe(401);
    const headers = { cookie: `harn_4747=${bench.cookie("ann")}` };
    const status = async () => (await ask("/api/me", { as: "", headers })).status;
    expect(await status()).toBe(200);
    bench.now += 30 * 86_400_000;
    expect(await status()).toBe(401);
    headers.cookie = `harn_4747=${bench.cookie("eve")}`;
    expect(await status()).toBe(200);
    expect(bench.server.access.revoke("eve")).toBe(true);
    expect(await status()).toBe(401);
    expect((await ask("/api/me", { as: "eve" })).status).toBe(401);
    bench.server.access.add("eve", "write", "eve-token");
  });

  test("logging out ends the login", async () => {
    const headers = {
      cookie: `harn_4747=${bench.cookie("ann")}`,
      "sec-fetch-site": "same-origin",
      "x-harn": "1",
    };
    expect((await ask("/api/logout", { as: "", body: {}, headers })).status).toBe(204);
    expect((await ask("/api/me", { as: "", headers })).status).toBe(401);
  });

  test("neither token nor code nor cookie is in the store's file", async () => {
    const code = bench.server.access.newCode("ann");
    const cookie = bench.cookie("ann");
    bench.store.transaction(() => {});
    const files = ["state.db", "state.db-wal"].map((name) =>
      readFileSync(join(bench.folder, name), "latin1"),
    );
    for (const secret of [code, cookie, "ann-token"]) expect(files.join("")).not.toContain(secret);
  });

  test("ten failures of an address in a minute, then nothing is looked at for the rest of it", async () => {
    const wrong = () => ask("/api/me", { as: "nobody" });
    for (let n = 0; n < 10; n++) expect((await wrong()).status).toBe(401);
    const refused = await ask("/api/me", {});
    expect([refused.json.code, refused.headers.get("retry-after")]).toEqual(["HARN-SRV-024", "60"]);
    expect(
      (await ask("/api/login", { as: "", body: { code: bench.server.access.newCode("ann") } })).status,
    ).toBe(429);
    bench.now += 60_001;
    expect((await ask("/api/me", {})).status).toBe(200);
  });

  test("50 requests a second, 200 at once, each principal for itself", async () => {
    const statuses = [];
    for (let n = 0; n < 201; n++) statuses.push((await ask("/api/me", {})).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(200);
    expect(statuses.at(-1)).toBe(429);
    expect((await ask("/api/me", { as: "bob" })).status).toBe(200);
    bench.now += 20;
    expect((await ask("/api/me", {})).status).toBe(200);
  });
});

describe("Idempotency-Key", () => {
  const body = { name: "x" };
  test("the first answer again; another body or route is refused; another principal's key is another", async () => {
    const headers = { "idempotency-key": "k1" };
    const first = await ask("/api/things/t", { body, headers });
    const again = await ask("/api/things/t", { body, headers });
    expect(again.json).toEqual(first.json);
    expect(first.headers.has("idempotent-replay")).toBe(false);
    expect(again.headers.get("idempotent-replay")).toBe("true");
    expect((await ask("/api/things/t", { body: { name: "y" }, headers })).json.code).toBe("HARN-SRV-022");
    expect((await ask("/api/things/u", { body, headers })).json.code).toBe("HARN-SRV-022");
    expect((await ask("/api/things/t", { as: "root", body, headers })).json.count).toBe(first.json.count + 1);
  });

  test("a request with the key of one that is under way is refused", async () => {
    const headers = { "idempotency-key": "slow" };
    const first = ask("/api/slow", { method: "POST", headers });
    while (release === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
    const second = await ask("/api/slow", { method: "POST", headers });
    release();
    expect([second.status, second.json.code]).toEqual([409, "HARN-SRV-014"]);
    expect((await first).status).toBe(200);
  });

  test.each(["", " ", "a b", "ä", "x".repeat(129)])("%j can't be a key", async (key) => {
    const encoded = Buffer.from(key).toString("latin1");
    const { status } = await ask("/api/things/t", { body, headers: { "idempotency-key": encoded } });
    expect(status).toBe(422);
  });
});

test("the description of the API refers to nothing that is not in it", () => {
  const report = JSON.parse(JSON.stringify(openApi(allRoutes, "1")));
  const refs = [...JSON.stringify(report).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref ?? "");
  expect(refs.length).toBeGreaterThan(100);
  for (const ref of new Set(refs)) {
    const found = ref
      .slice("#/".length)
      .split("/")
      .reduce((at: Record<string, unknown>, key) => at?.[key] as Record<string, unknown>, report);
    expect([ref, typeof found]).toEqual([ref, "object"]);
  }
});

test("the description has every row, and every schema in it can be written", async () => {
  const { json } = await ask("/api/openapi.json");
  expect(json.openapi).toBe("3.1.0");
  expect(Object.keys(json.paths["/api/things/{id}"])).toEqual(["post"]);
  expect(json.paths["/api/things/{id}/files/{path}"].get.parameters[1].name).toBe("path");
  expect(json.paths["/api/me"].get.responses["401"].content["application/problem+json"]).toBeDefined();
});

const stoppingFolder = tempFolder("stopping");
test("a server that is stopping takes nothing new", async () => {
  const stopping = new ServerBench(stoppingFolder, { routes: rows });
  stopping.server.drain();
  const { status, json } = await stopping.ask("/api/things/t", { body: { name: "x" } });
  expect([status, json.code]).toEqual([503, "HARN-SRV-026"]);
  await stopping.close();
});
