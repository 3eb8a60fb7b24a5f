/**
 * Attacks 34, 41 and 43 on journals: secrets in every form they travel in, text that looks like a placeholder, and replays of
 * programs that ask something of a secret.
 */
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HiddenSecret, type Json, Secrets } from "../../../src/effects/index.ts";
import type { CliResult } from "../../support/command-environment.ts";
import { harn } from "../../support/run-cli.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("secrets");

const secret = 'tok/+ "q\\z" ünï-zQ7xW';
const pem = [
  "-----BEGIN PRIVATE KEY-----",
  "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
  "BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
  "-----END PRIVATE KEY-----",
  "",
].join("\n");
const env = { SERVICE_TOKEN: secret, SIGNING_KEY: pem, PLAIN_TOKEN: "plaintoken123" };

const kept = (): Secrets => {
  const secrets = Secrets.ofEnvironment(Object.entries(env));
  secrets.follow({ format: 3, mark: "0123abcd" });
  return secrets;
};

const small = (text: string): string => text.replace(/%../g, (byte) => byte.toLowerCase());
const escaped = (text: string): string =>
  text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
const ascii = (json: string): string => json.replace(/[^\x20-\x7e]/g, escaped);
const broken = (digits: string, width: number, between: string): string =>
  (digits.match(new RegExp(`.{1,${width}}`, "g")) ?? []).join(between);
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const forms: Readonly<Record<string, string>> = {
  itself: `a ${secret} b`,
  "inside JSON": JSON.stringify({ headers: { authorization: `Bearer ${secret}` } }),
  "inside JSON inside JSON": JSON.stringify({ body: JSON.stringify({ key: secret }) }),
  "percent-encoded": `https://x.example/?t=${encodeURIComponent(secret)}`,
  "in a form": new URLSearchParams({ t: secret }).toString(),
  "as bytes": base64(secret),
  "as bytes behind one": base64(`a${secret}`),
  "as bytes behind two and before three": base64(`ab${secret}xyz`),
  "as basic authentication": `Basic ${base64(`user:${secret}`)}`,
  "in URL-safe base64": Buffer.from(`u:${secret}:x`).toString("base64url"),
  "of several lines": `key:\n${pem}end`,
  "of several lines inside JSON": JSON.stringify({ key: pem }),
  "one of its lines": `line 2 is ${pem.split("\n")[2]}`,
  "of several lines as bytes": base64(`x${pem}`),
  "two beside each other": `${secret}${secret}plaintoken123`,
  "percent-encoded with small letters": `https://x.example/?t=${small(encodeURIComponent(secret))}`,
  "in a form with small letters": small(new URLSearchParams({ t: secret }).toString()),
  "in JSON in ASCII": ascii(JSON.stringify({ key: secret })),
  "in JSON with escaped slashes": JSON.stringify({ key: secret }).replaceAll("/", "\\/"),
  "in JSON, every character escaped": `{"key": "${escaped(secret)}"}`,
  "in base64 in lines": broken(base64(`${"before ".repeat(9)}${secret}${" after".repeat(9)}`), 20, "\n"),
  "in base64 in lines of another system": broken(base64(`${"before ".repeat(30)}${secret}`), 76, "\r\n"),
  "in base64 in lines that are indented": broken(base64(`${secret}${" after".repeat(30)}`), 8, "\n    "),
  "in base64 in lines inside JSON": JSON.stringify({
    b: broken(base64(`${"x".repeat(99)}${secret}`), 64, "\n"),
  }),
  "as a key": secret,
};

/** Anything of the secrets that is longer than what chance gives. */
const traces = [
  secret,
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret).slice(4, 20),
  "zQ7xW",
  "plaintoken",
  "BKcwggSj",
  base64(secret).slice(4, 16),
  base64(`a${secret}`).slice(4, 16),
  base64(`ab${secret}`).slice(4, 16),
];

describe("what is stored", () => {
  it.each(Object.entries(forms))("hides a secret %s, and gives it back", (_, text) => {
    const secrets = kept();
    const stored = secrets.hide(text);
    for (const trace of traces) expect(stored).not.toContain(trace);
    expect(stored).toContain("{{secret");
    expect(kept().reveal(stored)).toBe(text);
    expect(secrets.hide(stored)).not.toBe(stored);
  });

  it("hides a secret however its characters are escaped, and gives back what means the same", () => {
    const ways = [
      (unit: string) => unit,
      (unit: string) => escaped(unit),
      (unit: string) => escaped(unit).toUpperCase().replace("U", "u"),
      (unit: string) => JSON.stringify(unit).slice(1, -1).replace("/", "\\/"),
    ];
    const percents = [
      (char: string) => (/[\w-]/.test(char) ? char : encodeURIComponent(char)),
      (char: string) => small(encodeURIComponent(char)),
      (char: string) =>
        Buffer.from(char).reduce((all, byte) => `${all}%${byte.toString(16).padStart(2, "0")}`, ""),
    ];
    fc.assert(
      fc.property(fc.array(fc.nat(3), { minLength: 30, maxLength: 30 }), fc.nat(2), (picks, depth) => {
        const units = secret.split("");
        let text = `"${units.map((unit, at) => ways[/["\\]/.test(unit) ? 3 : picks[at]!]!(unit)).join("")}"`;
        for (let level = 0; level < depth; level++) text = JSON.stringify(text);
        const stored = kept().hide(text);
        for (const trace of traces) expect(stored).not.toContain(trace);
        expect(stored).toContain("{{secret");
        let read: unknown = kept().revealInJson(stored);
        for (let level = 0; level <= depth; level++) read = JSON.parse(String(read));
        expect(read).toBe(secret);
        const url = [...secret].map((char, at) => percents[picks[at]! % 3]!(char)).join("");
        const inUrl = kept().hide(`?t=${url}&x=1`);
        expect(inUrl).toContain("{{secret");
        expect(decodeURIComponent(kept().reveal(inUrl))).toBe(`?t=${secret}&x=1`);
      }),
    );
  });

  it("takes time by the length of a text, whatever stands in it", () => {
    const secrets = kept();
    for (const piece of ["A", "\\", "%41", "\\u0041", "AAAAAAAAA\n", "\\n", "%c3", "A\\\\n"]) {
      const text = piece.repeat(400_000 / piece.length);
      expect(secrets.hide(text)).toBe(text);
    }
  });

  it("hides names of secrets in keys, and those that are too short to be looked for", () => {
    const secrets = kept();
    expect(secrets.hideIn({ [secret]: [secret] })).toEqual({
      "{{secret:SERVICE_TOKEN}}": ["{{secret:SERVICE_TOKEN}}"],
    });
    expect(secrets.hideIn(new HiddenSecret("PIN", "1234").json)).toBe("{{secret:PIN}}");
    expect(kept().revealIn("{{secret:PIN}}")).toBe("{{secret:PIN#0123abcd}}");
  });

  it("keeps text that looks like a placeholder as text", () => {
    for (const text of [
      "{{secret:SERVICE_TOKEN}}",
      "{{secret:SERVICE_TOKEN|json}}",
      "{{secret*:SERVICE_TOKEN}}",
      "{{secret**64:=:%7B%7Bsecret%3ASERVICE_TOKEN%7D%7D}}",
      "{{secret64:=:%7B%7Bsecret%3ASERVICE_TOKEN%7D%7D}}",
      base64("x {{secret:SERVICE_TOKEN}} y"),
      base64(`{{secret:SERVICE_TOKEN}} and ${secret}`),
      "{{secret{{secret:SERVICE_TOKEN}}:SERVICE_TOKEN}}",
      `{{secret:${secret}}}`,
      "{{{{secret:SERVICE_TOKEN}}",
      "{{secret",
    ]) {
      const stored = kept().hide(text);
      const back = kept().reveal(stored);
      expect(back).toBe(text);
      if (!text.includes(secret) && !text.includes(base64(secret).slice(4, 12)))
        expect(back).not.toContain("zQ7xW");
    }
  });

  it("comes back as it was, whatever it was", () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom(
        ...Object.values(forms),
        ...Object.values(env),
        "{{secret",
        "*",
        ":",
        "SERVICE_TOKEN",
        "}}",
        "64:",
        "|json",
      ),
      fc.string().map(base64),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join("");
        const stored = kept().hide(text);
        expect(kept().reveal(stored)).toBe(text);
        for (const value of Object.values(env)) expect(stored).not.toContain(value);
      }),
      { numRuns: 2000 },
    );
  });

  it("is named the same in all forms for fingerprints, with and without the secret", () => {
    const live = kept();
    const replay = kept();
    replay.follow({ format: 3, mark: "0123abcd", replays: true });
    const value = replay.reveal("{{secret:SERVICE_TOKEN}}");
    expect(value).toBe("{{secret:SERVICE_TOKEN#0123abcd}}");
    for (const make of [
      (of: string) => of,
      (of: string) => JSON.stringify({ of }),
      (of: string) => encodeURIComponent(of),
      (of: string) => `Basic ${base64(`me:${of}`)}, more`,
      (of: string) => `x${base64(`${of} and more`)} x`,
    ])
      expect(replay.named(make(value))).toBe(live.named(make(secret)));
  });

  it("of journals up to format 2 is read and written as it was then", () => {
    const old = kept();
    old.follow({ format: 2, mark: "x" });
    expect(old.hide(`{{secret:OTHER}} ${secret}`)).toBe("{{secret:OTHER}} {{secret:SERVICE_TOKEN}}");
    expect(old.reveal("{{secret:SERVICE_TOKEN}} {{secret*:X}}")).toBe(`${secret} {{secret*:X}}`);
  });
});

let projects = 0;

function project(script: string, files: Readonly<Record<string, string>> = {}) {
  const cwd = join(folder, `p${projects++}`);
  mkdirSync(cwd);
  for (const [name, text] of Object.entries({ "a.harn": script, ...files }))
    writeFileSync(join(cwd, name), text);
  const run = (args: readonly string[], more: Readonly<Record<string, string>> = env): CliResult =>
    harn(args, { cwd, env: more });
  return { cwd, run };
}

describe("a replay on a machine without the secret", () => {
  const questions = [
    'let t = env("SERVICE_TOKEN")',
    'println(t == "tok/+ \\"q\\\\z\\" ünï-zQ7xW")',
    'println(t != "tok/+ \\"q\\\\z\\" ünï-zQ7xW", t == "other")',
    'println(t < "u", t > "a", t in ["x"], "tok" in t)',
    "println(len(t), t.count, t.count(), t?.count)",
    'println(t.starts_with("tok"), starts_with(t, "tok"), ends_with(t, "xW"), contains(t, "zQ7xW"), t.index_of("Q"))',
    'println(sha256(t), md5(t), hmac_sha256(t, "m"), hash_value(t), hmac_sha256_base64("k", t))',
    'println(signed_url("https://a.example/f", {}, t, 9))',
    'println(verify_signed_url(signed_url("https://a.example/f", {}, t, 9), t, 0).valid)',
    'println(cookie_verify(cookie_sign("v", t), t).ok, constant_time_eq(t, "x"), uuid_v5("dns", t))',
    'println(sha256(bytes_from_string(t)), sha256([t].join("-")))',
    'println(match t { "x" -> { 1 } "tok/+ \\"q\\\\z\\" ünï-zQ7xW" -> { 2 } _ -> { 3 } })',
    'if t.contains("tok") { println("then") } else { println("else") }',
    "var n = 0",
    'while n < 3 { n = n + (if t == "x" { 5 } else { 1 }) }',
  ]
    .map((line) => line.replace(/^println\((.*)\)$/, "println([$1])"))
    .join("\n");

  it("gives what was found out about it then", () => {
    const one = project(questions);
    const first = one.run(["run", "a.harn"]);
    expect(first).toMatchObject({ status: 0, stderr: "" });
    expect(first.stdout.split("\n")[0]).toBe("[true]");
    expect(first.stdout).toContain("then");
    const again = one.run(["replay", "last"], {});
    expect(again.stderr).toBe("");
    expect(again).toMatchObject({ stdout: first.stdout, status: 0 });
  });

  it("shows the name instead, and signs what it signed", () => {
    const one = project(
      'let t = env("SERVICE_TOKEN")\nprintln("[" + t + "]")\nprintln(base64_encode("u:" + t).count > 0)\nwrite_file("out", json_stringify({t: t, s: hmac_sha256(t, "m")}))\nprintln(read_file("out") == json_stringify({t: t, s: hmac_sha256(t, "m")}))',
    );
    expect(one.run(["run", "a.harn"]).stdout).toBe(`[${secret}]\ntrue\ntrue\n`);
    expect(one.run(["replay", "last"], {})).toMatchObject({
      stdout: "[{{secret:SERVICE_TOKEN}}]\ntrue\ntrue\n",
      stderr: "",
      status: 0,
    });
  });
});

describe("text from outside that names a secret", () => {
  it("is the same text after a resume, in files, replies and what is sent on", () => {
    const one = project(
      [
        'import "std/hitl"',
        'let page = read_file("page.txt")',
        'let t = env("SERVICE_TOKEN")',
        'ask_user("go on?")',
        'write_file("leak.txt", page)',
        'write_file("own.txt", t)',
        "println(page)",
      ].join("\n"),
      {
        "page.txt": "see {{secret:SERVICE_TOKEN}} and {{secret*:SERVICE_TOKEN}} {{secret:SIGNING_KEY|json}}",
      },
    );
    expect(one.run(["run", "a.harn"]).status).toBe(75);
    expect(one.run(["hitl", "answer", "last", "{{secret:SERVICE_TOKEN}}"]).status).toBe(0);
    const resumed = one.run(["run", "--resume", "last"]);
    const page = readFileSync(join(one.cwd, "page.txt"), "utf8");
    expect(resumed).toMatchObject({ status: 0, stdout: `${page}\n` });
    expect(readFileSync(join(one.cwd, "leak.txt"), "utf8")).toBe(page);
    expect(readFileSync(join(one.cwd, "own.txt"), "utf8")).toBe(secret);
    expect(one.run(["replay", "last"], {})).toMatchObject({ status: 0, stdout: `${page}\n`, stderr: "" });
  });
});

describe("arguments of a script", () => {
  it("come back as they were, with the secret where it was, and shown by name in a replay", () => {
    const one = project(
      'import "std/hitl"\nprintln(argv[0] == env("SERVICE_TOKEN"))\nprintln(argv[1])\nask_user("{{secret:SERVICE_TOKEN}} go on?")\nwrite_file("args.txt", argv[0] + "\\n" + argv[1])\nprintln(argv[0] == env("SERVICE_TOKEN"))',
    );
    const odd = "{{secret:SERVICE_TOKEN}}";
    const first = one.run(["run", "a.harn", "--", secret, odd]);
    expect(first).toMatchObject({ status: 75, stdout: `true\n${odd}\n` });
    expect(one.run(["hitl", "list"]).stdout).toContain(": {{secret:SERVICE_TOKEN}} go on?");
    one.run(["hitl", "answer", "last", "yes"]);
    expect(one.run(["run", "--resume", "last"])).toMatchObject({ status: 0, stdout: "true\n", stderr: "" });
    expect(readFileSync(join(one.cwd, "args.txt"), "utf8")).toBe(`${secret}\n${odd}`);
    expect(one.run(["replay", "last"], {})).toMatchObject({
      status: 0,
      stdout: `true\n${odd}\ntrue\n`,
      stderr: "",
    });
  });
});

describe("the store of a project", () => {
  it("holds no secret in any form, and nobody else can read it", () => {
    const one = project(
      [
        'let t = env("SERVICE_TOKEN")',
        'let k = env("SIGNING_KEY")',
        'write_file("a", t)',
        'write_file("b", base64_encode("xy" + t))',
        'write_file_bytes("c", bytes_from_string(k))',
        'write_file("d", json_stringify({k: k, t: json_stringify({t: t})}))',
        'for line in k.split("\\n") { append_file("e", line) }',
        'println(read_file("d"))',
        "println(url_encode(t))",
      ].join("\n"),
    );
    const { status, stderr } = one.run(["run", "a.harn"]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const exported = join(one.cwd, "run.harnrun");
    expect(one.run(["runs", "export", "last", exported]).status).toBe(0);
    const store = join(one.cwd, ".harn", "state.db");
    for (const file of [store, exported]) {
      const text = readFileSync(file, "latin1");
      for (const trace of traces.filter((trace) => trace !== secret)) expect(text).not.toContain(trace);
      expect(statSync(file).mode & 0o077).toBe(0);
    }
  });
});

it("data is any JSON", () => {
  const secrets = kept();
  const data: Json = { a: [1, true, null, { b: secret }] };
  expect(secrets.revealIn(secrets.hideIn(data))).toEqual(data);
});
