/** Skills on disk (agents.md §15.2, §15.5, §15.6): layers, frontmatter, bodies, signatures; a memory host stands for the disk. */
import { describe, expect, test } from "vitest";
import { hexText } from "../../../../src/values/index.ts";
import { createMemoryHost } from "../../../support/memory-host.ts";
import { runScript } from "../../../support/run-script.ts";

interface Disk {
  readonly files: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

async function run(text: string, disk: Disk): Promise<{ stdout: string; stderr: string; error: string }> {
  const host = createMemoryHost({ cwd: "/work/app", ...disk });
  return await runScript(text, { runtime: { host }, compile: { path: "/work/app/main.harn" } });
}

const skill = (fields: string, body = "body"): string => `---\n${fields}\n---\n${body}\n`;
const names =
  'for s in skill_list(skills) { println("${s.name} ${s.source} ${s.skill_dir} ${s.description}") }';

describe("layers", () => {
  const files = {
    "/work/harn.toml":
      '[skills]\npaths = ["more"]\n[[skill.source]]\ntype = "fs"\npath = "team"\nnamespace = "t"\n',
    "/work/app/.harn/skills/near/SKILL.md": skill("description: near"),
    "/work/.harn/skills/near/SKILL.md": skill("description: far"),
    "/work/.harn/skills/root/SKILL.md": skill("description: root"),
    "/work/more/listed/SKILL.md": skill("description: listed"),
    "/work/team/deploy/SKILL.md": skill("description: team"),
    "/work/.harn/packages/a/b/skills/packed/SKILL.md": skill("description: packed"),
    "/home/tester/.harn/skills/mine/SKILL.md": skill("description: mine"),
    "/home/tester/.harn/skills/root/SKILL.md": skill("description: user's root"),
    "/etc/harn/skills/wide/SKILL.md": skill("description: wide"),
    "/home/tester/.config/harn/skills/config/SKILL.md": skill("description: config"),
    "/extra/one/SKILL.md": skill("description: env"),
    "/extra/one/notes.txt": "not a skill",
    "/single/SKILL.md": skill("name: lone\ndescription: the folder itself"),
  };

  test("from the highest to the lowest, the first of a name wins", async () => {
    const { stdout, stderr, error } = await run(names, {
      files,
      env: { HARN_SKILLS_PATH: "/extra:/single:/none" },
    });
    expect({ stderr, error }).toEqual({ stderr: "", error: "" });
    expect(stdout.trimEnd().split("\n")).toEqual([
      "one env /extra/one env",
      "lone env /single the folder itself",
      "near project /work/app/.harn/skills/near near",
      "root project /work/.harn/skills/root root",
      "listed manifest /work/more/listed listed",
      "t/deploy manifest /work/team/deploy team",
      "mine user /home/tester/.harn/skills/mine mine",
      "packed package /work/.harn/packages/a/b/skills/packed packed",
      "wide system /etc/harn/skills/wide wide",
      "config system /home/tester/.config/harn/skills/config config",
    ]);
  });

  test("a path of the manifest may end in `*`; a blank line may stand before the frontmatter; `registry` has no effect", async () => {
    const { stdout, stderr } = await run(names, {
      files: {
        "/work/harn.toml": '[skills]\npaths = ["packs/*"]\n[[skill.source]]\ntype = "registry"\n',
        "/work/packs/a/one/SKILL.md": `\n\n${skill("description: first")}`,
        "/work/packs/b/two/SKILL.md": skill("description: second"),
      },
    });
    expect(stderr).toBe("");
    expect(stdout).toContain("one manifest /work/packs/a/one first\ntwo manifest /work/packs/b/two second");
  });

  test("disable and lookup_order", async () => {
    const manifest = '[skills]\ndisable = ["system", "package", "manifest"]\nlookup_order = ["user"]\n';
    const { stdout } = await run(names, { files: { ...files, "/work/harn.toml": manifest } });
    expect(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => line.split(" ").slice(0, 2).join(" ")),
    ).toEqual(["mine user", "root user", "near project"]);
  });

  test("what can't be used in a manifest is a warning", async () => {
    const manifest =
      '[skills]\ndisable = ["cloud"]\npaths = "more"\n[[skill.source]]\ntype = "git"\nurl = "x"\n[[skill.source]]\ntype = "ftp"\n';
    const { stdout, stderr } = await run("println(skill_count(skills) > 0)", {
      files: { ...files, "/work/harn.toml": manifest },
    });
    expect(stdout).toBe("true\n");
    expect(stderr.split("\n").filter((line) => line !== "")).toEqual(
      [
        "warning: skills: /work/harn.toml: [skills] paths is no list of texts",
        '[[skill.source]] 1 `url` "x" is no address; taken are https://, http://, ssh://, user@host:path, file:// and paths (a path begins with / or ./)',
        '[[skill.source]] 2 needs `type = "fs"` and a `path`, or `type = "git"` and a `url`',
        '[skills] disable: unknown layer "cloud"; expected one of cli, env, project, manifest, user, package, system, host',
      ].map((line) => (line.startsWith("warning") ? line : `warning: skills: /work/harn.toml: ${line}`)),
    );
  });

  test("without a manifest only the program's own folder is the project", async () => {
    const { "/work/harn.toml": _, ...rest } = files;
    const { stdout } = await run(
      'println(skills.skills.filter({ s -> s.source == "project" }).map({ s -> s.name }))',
      { files: rest },
    );
    expect(stdout).toBe("[near]\n");
  });

  test("no skills, an empty registry", async () => {
    expect((await run("println(skills)", { files: {} })).stdout).toBe(
      "{_type: skill_registry, skills: []}\n",
    );
  });
});

describe("cards and bodies", () => {
  const files = {
    "/work/app/.harn/skills/ship/SKILL.md": skill(
      'when-to-use: "User says ship"\nallowed-tools: deploy, read\nargument-hint: "[target]"\ndisable-model-invocation: true\ncolour: red',
      "Ship $1 of $ARGUMENTS from ${HARN_SKILL_DIR} for $$5 and $3 in ${HARN_MODE}, ${HARN_NONE}, ${HOME}.",
    ),
    "/work/app/.harn/skills/plain/SKILL.md": "No frontmatter at all.\n",
    "/work/app/.harn/skills/bom/SKILL.md": `\uFEFF---\r\ndescription: windows\r\n---\r\nBody.\r\n`,
    "/work/app/.harn/skills/unclosed/SKILL.md": "---\nname: x\n",
    "/work/app/.harn/skills/noyaml/SKILL.md": skill("name: [open"),
    "/work/app/.harn/skills/list/SKILL.md": skill("- a\n- b"),
    "/work/app/.harn/skills/typed/SKILL.md": skill("user-invocable: 3"),
    "/work/app/.harn/skills/empty/SKILL.md": "",
    "/work/app/.harn/skills/proto/SKILL.md": skill("__proto__: {x: 1}\nconstructor: y"),
  };

  test("fields, spellings, what is left out", async () => {
    const { stdout, stderr } = await run(
      'println(skill_find(skills, "ship"))\nprintln(skills.skills.map({ s -> s.name }))\nprintln(skill_find(skills, "proto").constructor)',
      { files },
    );
    const [card, found, odd] = stdout.split("\n");
    expect(card).toBe(
      "{allowed_tools: [deploy, read], argument_hint: [target], body: nil, colour: red, description: , disable_model_invocation: true, name: ship, prompt: nil, skill_dir: /work/app/.harn/skills/ship, source: project, when_to_use: User says ship}",
    );
    expect(found).toBe("[bom, empty, plain, proto, ship, unclosed]");
    expect(odd).toBe("y");
    expect(stderr.split("\n").filter((line) => line !== "")).toEqual([
      "warning: skills: /work/app/.harn/skills/list/SKILL.md is left out: its frontmatter must be `name: value` lines",
      expect.stringContaining("/noyaml/SKILL.md is left out: its frontmatter is no YAML: "),
      "warning: skills: /work/app/.harn/skills/typed/SKILL.md: user_invocable: expected bool, got int 3",
    ]);
  });

  test("bodies are read when they are needed, placeholders filled", async () => {
    const { stdout, error } = await run(
      'println(skill_render(skill_find(skills, "ship"), ["api", "now"]))\nprintln(load_skill("plain"))\nprintln(load_skill("bom"))\nprintln(load_skill("ship", {arguments: ["x"]}))\nload_skill("nope")',
      { files, env: { HARN_MODE: "test" } },
    );
    expect(stdout.split("\n")).toEqual([
      "Ship api of api now from /work/app/.harn/skills/ship for $5 and $3 in test, ${HARN_NONE}, ${HOME}.",
      "No frontmatter at all.",
      "Body.",
      "Ship x of x from /work/app/.harn/skills/ship for $5 and $3 in test, ${HARN_NONE}, ${HOME}.",
      "",
    ]);
    expect(error).toBe("Thrown: skill 'nope' not found");
  });

  test("a loop activates and loads them", async () => {
    const text = `
      llm_mock({tool_calls: [{name: "load_skill", arguments: {name: "ship"}}, {name: "load_skill", arguments: {name: "plain"}}]})
      llm_mock({text: "end"})
      let r = agent_loop("About windows.", nil, {provider: "mock", skills: skills})
      println(llm_mock_calls()[0].system.split("\\n\\n## How")[0])
      println(r.transcript.messages[2].content)`;
    const { stdout } = await run(text, { files });
    expect(stdout).toContain("## Active skills\n\n### bom\nwindows\n\nBody.\n");
    expect(stdout).toContain("skill_model_invocation_disabled");
    expect(stdout).toContain("[result of load_skill]\nNo frontmatter at all.\n");
  });
});

describe("signatures", () => {
  const host = createMemoryHost();
  const key = new Uint8Array(32).fill(7);
  const raw = host.crypto.publicKey("ed25519", key);
  const fingerprint = hexText(host.crypto.hash("sha256", raw));
  const der = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), raw]);
  const pem = `-----BEGIN PUBLIC KEY-----\n${der.toString("base64")}\n-----END PUBLIC KEY-----\n`;
  const dir = "/work/app/.harn/skills/ship";
  const trusted = `/home/tester/.harn/trusted-signers/${fingerprint}.pub`;

  function signature(text: string, changes: Readonly<Record<string, unknown>> = {}): string {
    const bytes = new TextEncoder().encode(text);
    return JSON.stringify({
      schema: "harn-skill-sig/v1",
      signed_at: "2026-01-01T00:00:00Z",
      signer_fingerprint: fingerprint,
      ed25519_sig_base64: Buffer.from(host.crypto.sign(key, bytes)).toString("base64"),
      skill_sha256: hexText(host.crypto.hash("sha256", bytes)),
      ...changes,
    });
  }
  const text = skill("description: signed", "SIGNED BODY");
  const load =
    'println(try { load_skill("ship", {require_signature: true}) } catch (e) { [error_category(e), e] })';

  const disk = (more: Readonly<Record<string, string>>): Record<string, string> => ({
    [`${dir}/SKILL.md`]: text,
    ...more,
  });
  const wrong = Buffer.alloc(64, 1).toString("base64");

  test.each([
    ["trusted", disk({ [`${dir}/SKILL.md.sig`]: signature(text), [trusted]: pem }), "SIGNED BODY"],
    ["missing", disk({}), "skill 'ship' must be signed, and it is not"],
    ["unknown signer", disk({ [`${dir}/SKILL.md.sig`]: signature(text) }), "who is not trusted here"],
    [
      "changed file",
      disk({ [`${dir}/SKILL.md.sig`]: signature(`${text} `), [trusted]: pem }),
      "was changed after it was signed",
    ],
    [
      "wrong signature",
      disk({ [`${dir}/SKILL.md.sig`]: signature(text, { ed25519_sig_base64: wrong }), [trusted]: pem }),
      "is not valid",
    ],
    ["no JSON", disk({ [`${dir}/SKILL.md.sig`]: "{", [trusted]: pem }), "can't be read"],
    [
      "other schema",
      disk({ [`${dir}/SKILL.md.sig`]: signature(text, { schema: "v9" }), [trusted]: pem }),
      "can't be read",
    ],
    [
      "a key that is none",
      disk({ [`${dir}/SKILL.md.sig`]: signature(text), [trusted]: "hello" }),
      "is no such key",
    ],
  ])("%s", async (_name, files, expected) => {
    expect((await run(load, { files })).stdout).toContain(expected);
  });

  test("a signature that is there and wrong is refused, asked for or not", async () => {
    const files = disk({ [`${dir}/SKILL.md.sig`]: signature(`${text} `) });
    expect((await run('load_skill("ship")', { files })).error).toContain("was changed after it was signed");
  });

  test("frontmatter and environment can require it, trusted_signers narrows it", async () => {
    const strict = skill("require_signature: true\ntrusted_signers: other", "B");
    const files = { [`${dir}/SKILL.md`]: strict, [`${dir}/SKILL.md.sig`]: signature(strict), [trusted]: pem };
    expect((await run('load_skill("ship")', { files })).error).toContain("is not trusted here");
    expect(
      (await run('load_skill("ship")', { files: disk({}), env: { HARN_REQUIRE_SIGNED_SKILLS: "1" } })).error,
    ).toContain("must be signed");
  });

  test("the project's signer registry is a further source of keys", async () => {
    const files = disk({
      [`${dir}/SKILL.md.sig`]: signature(text),
      "/work/harn.toml": '[skills]\nsigner_registry_url = "signers"\n',
      [`/work/signers/${fingerprint}.pub`]: pem,
    });
    expect((await run(load, { files })).stdout).toBe("SIGNED BODY\n");
  });

  test("an untrusted skill is not activated; the transcript says why", async () => {
    const files = {
      [`${dir}/SKILL.md`]: skill("description: shipping things\nrequire_signature: true", "BODY"),
    };
    const { stdout, stderr } = await run(
      'let r = agent_loop("ship", nil, {provider: "mock", skills: skills})\nprintln(r.transcript.events.filter({ e -> e.kind == "skill.loaded" })[0].metadata)\nprintln(llm_mock_calls()[0].system.contains("BODY"))',
      { files },
    );
    expect(stdout).toBe(
      "{error: UnsignedSkillError, signed: false, signer_fingerprint: nil, skill_id: ship, trusted: false}\nfalse\n",
    );
    expect(stderr).toBe(
      "warning: agent_loop: skill 'ship' is not activated: skill 'ship' must be signed, and it is not\n",
    );
  });
});

describe("frontmatter that contains itself", () => {
  test.each(["meta: &x\n  inner: *x", "list: &x [1, *x]", "a: &x\n  b:\n    - c: *x"])(
    "%s: the skill is named and left out",
    async (fields) => {
      const { stdout, stderr, error } = await run("println(len(skill_list(skills)))", {
        files: {
          "/work/app/.harn/skills/loop/SKILL.md": skill(`name: loop\ndescription: d\n${fields}`),
          "/work/app/.harn/skills/good/SKILL.md": skill("name: good\ndescription: d"),
        },
      });
      expect(error).toBe("");
      expect(stdout).toBe("1\n");
      expect(stderr).toContain("it would contain itself");
    },
  );

  test("an alias used twice beside itself is no circle", async () => {
    const { stdout } = await run("println(len(skill_list(skills)))", {
      files: { "/work/app/.harn/skills/a/SKILL.md": skill("description: d\nx: &x [1]\ny: *x\nz: [*x, *x]") },
    });
    expect(stdout).toBe("1\n");
  });
});
