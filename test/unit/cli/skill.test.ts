/** `harn skill`: a key, a signature, trust, and what `load_skill` makes of them (agents.md §15.6). */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { main } from "../../../src/cli/main.ts";
import { harnHere } from "../../support/harn-here.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("skill");

let folder: string;
let out: string;
let err: string;

beforeEach(() => {
  folder = freshFolder();
  vi.stubEnv("HOME", folder);
  mkdirSync(join(folder, "ship"));
  writeFileSync(join(folder, "ship", "SKILL.md"), "---\ndescription: Ships\n---\nGo.\n");
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  process.exitCode = 0;
});

async function skill(...args: string[]): Promise<number> {
  out = "";
  err = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    out += String(text);
    return true;
  });
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    err += String(text);
    return true;
  });
  await main(["skill", ...args]);
  vi.restoreAllMocks();
  return Number(process.exitCode);
}

test("from a key to a trusted signature", async () => {
  const key = join(folder, "me.pem");
  const ship = join(folder, "ship");
  expect(await skill("key", "generate", key)).toBe(0);
  const fingerprint = /fingerprint ([0-9a-f]{64})/.exec(out)?.[1] ?? "";
  expect(statSync(key).mode & 0o777).toBe(0o600);
  expect(await skill("verify", ship)).toBe(1);
  expect(out).toBe(`${ship}/SKILL.md: not signed\n`);
  expect(await skill("sign", "--key", key, ship)).toBe(0);
  expect(JSON.parse(readFileSync(`${ship}/SKILL.md.sig`, "utf8"))).toMatchObject({
    schema: "harn-skill-sig/v1",
    signer_fingerprint: fingerprint,
  });
  expect(await skill("verify", ship)).toBe(1);
  expect(out).toBe(`${ship}/SKILL.md: signed, signer not trusted by ${fingerprint}\n`);
  expect(await skill("trust", "add", `${key}.pub`)).toBe(0);
  expect(await skill("trust", "list")).toBe(0);
  expect(out).toBe(`${fingerprint}\n`);
  expect(await skill("verify", ship)).toBe(0);
  expect(out).toBe(`${ship}/SKILL.md: signed and trusted by ${fingerprint}\n`);
  writeFileSync(`${ship}/SKILL.md`, "changed");
  expect(await skill("verify", ship)).toBe(1);
  expect(out).toContain("was changed after it was signed");
});

test("mistakes are one line, and nothing is overwritten", async () => {
  const key = join(folder, "me.pem");
  expect(await skill("trust", "list")).toBe(0);
  expect(out).toBe("");
  await skill("key", "generate", key);
  const before = readFileSync(key, "utf8");
  expect(await skill("key", "generate", key)).toBe(1);
  expect(err).toContain("keys are not overwritten");
  expect(readFileSync(key, "utf8")).toBe(before);
  expect(await skill("sign", "--key", `${key}.pub`, join(folder, "ship"))).toBe(1);
  expect(err).toContain("no Ed25519 key of the right kind");
  expect(await skill("sign", "--key", key, folder)).toBe(1);
  expect(err).toBe(`harn: there is no ${folder}/SKILL.md (HARN-CLI-005)\n`);
  expect(await skill("trust", "add", join(folder, "ship", "SKILL.md"))).toBe(1);
  expect(await skill("sign", "--key", join(folder, "none"), join(folder, "ship"))).toBe(1);
  expect(err).toContain("cannot be read");
  expect(existsSync(join(folder, "ship", "SKILL.md.sig"))).toBe(false);
});

test("harn run --skill-dir looks there first", async () => {
  writeFileSync(join(folder, "main.harn"), 'println(skill_describe(skills))\nprintln(load_skill("ship"))\n');
  const { stdout, stderr } = await harnHere(["run", "--skill-dir", folder, join(folder, "main.harn")], {
    cwd: folder,
  });
  expect({ stdout, stderr }).toEqual({ stdout: "Available skills:\n- ship: Ships\nGo.\n", stderr: "" });
});
