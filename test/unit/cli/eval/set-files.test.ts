/** A set as a file with its journals: carried elsewhere it is shown, scored anew and replayed (docs/evals.md). */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sealedText } from "../../../../src/eval/local/transfer/layout.ts";
import { membersOfZip, ZipWriter } from "../../../../src/eval/local/transfer/zip-file.ts";
import { sealOf } from "../../../../src/store/index.ts";
import { harnHere } from "../../../support/harn-here.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("eval-set-files");
const secret = "hush-4711-hush";
let home: string;
let there: string;

const script = `import "std/eval"
let key = env("SHOP_TOKEN") ?? "none"
llm_mock({match: "*Judge by*", text: "{\\"reasoning\\": \\"ok\\", \\"verdict\\": \\"pass\\"}"})
llm_mock({match: "*", text: "It is Paris."})
eval_pack t {
  dataset: [{id: "a", input: "capital of F", target: "Paris"}, {id: "b", input: "capital of I", target: "Rome"}]
  solver: { sample, trial ->
    world_set("seen.\${sample.id}", [trial.epoch, env("SHOP_TOKEN") ?? "none", key])
    write_file("left.txt", sample.id)
    let said = llm_call(sample.input)
    said.text + " " + key + to_string(random_int(0, 1000))
  }
  scorers: [includes(), judge("good", {draws: 2}), named("key", { o, _s -> {value: contains(o.text, key) ? 1 : 0, why: o.text} })]
  success: ["includes"]
  sandbox: true
  epochs: 2
  roles: {agent: {provider: "mock"}, judge: {provider: "mock"}}
}
`;

const at = async (cwd: string, args: readonly string[], env: Record<string, string> = {}) =>
  await harnHere(["eval", ...args], { cwd, env });
const receiptOf = (text: string): string | undefined => /receipt ([0-9a-f]+)/u.exec(text)?.[1];

let exported: Buffer | undefined;

/** A project with a set, and another one without. The file is written once: sets take a second. */
async function begin(isWhole: boolean): Promise<void> {
  const base = fresh();
  [home, there] = [join(base, "home"), join(base, "there")];
  mkdirSync(home);
  mkdirSync(there);
  if (!isWhole && exported !== undefined) {
    writeFileSync(join(home, "s.harneval"), exported);
    return;
  }
  writeFileSync(join(home, "t.harn"), script);
  const ran = await at(home, ["run", "t.harn", "--set", "s", "--quiet"], { SHOP_TOKEN: secret });
  expect(ran).toMatchObject({ stderr: "", status: 0 });
  expect(await at(home, ["export", "s", "s.harneval"], { SHOP_TOKEN: secret })).toMatchObject({
    stdout: "s.harneval\n",
    stderr: "",
  });
  exported = readFileSync(join(home, "s.harneval"));
}

const carry = async (...args: string[]) => {
  writeFileSync(join(there, "s.harneval"), readFileSync(join(home, "s.harneval")));
  return await at(there, ["import", "s.harneval", ...args]);
};

describe("a set that is carried elsewhere", () => {
  it("replays to the same receipt without program, key and secret, and shows no secret", async () => {
    await begin(true);
    const members = membersOfZip(readFileSync(join(home, "s.harneval")));
    for (const member of members) expect(member.read().toString(), member.name).not.toContain(secret);
    expect(members.map(({ name }) => name)).toContain("journals-0001.jsonl");
    const shown = (await at(home, ["show", "s"])).stdout;
    const replayed = await at(home, ["replay", "s"], { SHOP_TOKEN: secret });
    const bytes = readFileSync(join(home, "s.harneval"));
    rmSync(home, { recursive: true });
    mkdirSync(home);
    writeFileSync(join(home, "s.harneval"), bytes);
    expect(await carry()).toMatchObject({ stdout: "s  4 trials\n", stderr: "", status: 0 });
    expect((await at(there, ["show", "s"])).stdout).toBe(shown);
    const elsewhere = await at(there, ["replay", "s"]);
    expect(elsewhere).toMatchObject({ status: 0 });
    expect(receiptOf(elsewhere.stdout)).toBe(receiptOf(replayed.stdout));
    expect((await at(there, ["show", "s:a.1"])).stdout).toContain("{{secret:SHOP_TOKEN}}");
  });

  it("is scored anew, also with files, and compared with what it was", async () => {
    await begin(false);
    await carry();
    const scored = await at(there, ["score", "s", "--scorer", "judge", "--draws", "3", "--quiet"]);
    expect(scored).toMatchObject({ stderr: "", status: 0 });
    expect((await at(there, ["show", "s:b.1"])).stdout).toContain("judge (draw 3)  pass");
    expect((await at(there, ["replay", "s"])).status).toBe(0);
    expect((await carry("--set", "again")).stdout).toBe("again  4 trials\n");
    expect((await at(there, ["compare", "s", "again"])).stdout).toContain("2 shared samples");
    expect((await at(there, ["replay", "again"])).status).toBe(0);
    // Each has runs and a plan of its own.
    expect((await at(there, ["delete", "s"])).status).toBe(0);
    expect((await at(there, ["replay", "again"])).status).toBe(0);
  });

  it("is taken whole or not at all", async () => {
    await begin(false);
    await carry();
    expect(await carry()).toMatchObject({
      status: 2,
      stderr:
        "harn: s.harneval: it holds the set s, and one is called so already; --set names it otherwise (HARN-CLI-004)\n",
    });
    const members = membersOfZip(readFileSync(join(home, "s.harneval"))).map(
      (member) => [member.name, member.read().toString()] as const,
    );
    const changed = async (name: string, change: (text: string) => string) => {
      const report = members.map(([own, text]) => [own, own === name ? change(text) : text] as const);
      writeFileSync(join(there, "x.harneval"), bytesOf(report));
      return await at(there, ["import", "x.harneval", "--set", "x"]);
    };
    expect(
      (await changed("eval_score-0001.jsonl", (text) => text.replace('"value":0', '"value":1'))).stderr,
    ).toBe(
      "harn: x.harneval: it was changed after it was written: its seal does not match; export the set once more (HARN-CLI-004)\n",
    );
    writeFileSync(join(there, "x.harneval"), readFileSync(join(there, "s.harneval")).subarray(0, 900));
    expect((await at(there, ["import", "x.harneval"])).stderr).toContain("this is no zip archive");
    expect((await at(there, ["list"])).stdout.trim().split("\n")).toHaveLength(1);
  });
});

/** Files whose seal is right, made by somebody who means harm: the worst is a sentence, and nothing of them is taken. */
it.each([
  [
    "eval_trial",
    '"epoch":1',
    '"epoch":"one"',
    "eval_trial-0001.jsonl, line 1: epoch must be a number, it is a text",
  ],
  ["eval_trial", '"sample":', '"sample":9', "a row refers to sample 9"],
  [
    "eval_trial",
    '"state":"done"',
    '"state":"great"',
    'eval_trial-0001.jsonl, line 1: state must be "pending", ',
  ],
  ["eval_score", '"trial":', '"trial":77', "a row refers to trial 77"],
  ["eval_sample", '"body":"', '"body":"0', "eval_sample-0001.jsonl, line 1: body "],
  ["pieces", '"text":"', '"text":" ', "the text is not what its hash says"],
  ["journals", '"t":"run"', '"t":"walk"', "journals-0001.jsonl, line 2: "],
  ["journals", '"format":3', '"format":99', "has no header that this version of harn reads"],
  ["set", '"format":1', '"format":2', "it has format 2, this version of harn reads up to 1"],
  [
    "set",
    String.raw`\"scorers\":[`,
    String.raw`\"scorers\":5,\"x\":[`,
    "what it says of its tasks makes no set",
  ],
  ["set", '"name":"s"', '"name":"a:b"', "set.json: set.name "],
])("%s with %s changed to %s is refused", async (what, from, to, said) => {
  await begin(false);
  const members = membersOfZip(readFileSync(join(home, "s.harneval")))
    .slice(0, -1)
    .map(({ name, read }) => {
      const text = read().toString();
      return [name, name.startsWith(what) ? text.replace(from, () => to) : text] as const;
    });
  expect(members.some(([, text]) => text.includes(to))).toBe(true);
  const digests = members.map(
    ([name, text]) => [name, createHash("sha256").update(text).digest("hex")] as const,
  );
  const seal = ["seal.json", JSON.stringify(sealOf(sealedText(digests)))] as const;
  writeFileSync(join(there, "x.harneval"), bytesOf([...members, seal]));
  const { stderr, status } = await at(there, ["import", "x.harneval"]);
  expect(stderr).toContain(said);
  expect(stderr).toMatch(/^harn: x\.harneval: [^\n]+\n$/u);
  expect(status).toBe(2);
  expect((await at(there, ["list", "--json"])).stdout).toBe("");
});

function bytesOf(members: readonly (readonly [string, string])[]): Buffer {
  const path = join(home, "made.zip");
  const zip = new ZipWriter(path);
  for (const [name, text] of members) zip.add(name, text);
  zip.close();
  return readFileSync(path);
}
