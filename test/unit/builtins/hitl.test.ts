/** People at a terminal: what they see, how their lines are read, when their time is over; and replay, which asks nobody. */
import { describe, expect, it } from "vitest";
import { createMemoryHost, type MemoryHostOptions } from "../../support/memory-host.ts";
import { recordAndReplayScript } from "../../support/replay-script.ts";
import { runScript } from "../../support/run-script.ts";

const tty = ["stdin", "stdout", "stderr"] as const;
const at = (stdin: string, options: MemoryHostOptions = {}) => createMemoryHost({ stdin, tty, ...options });
const run = (text: string, stdin: string) => runScript(text, { runtime: { host: at(stdin) } });

describe("a question at the terminal", () => {
  it("is shown on standard error with what the program says about it", async () => {
    const ran = await run(`println(ask_user("Colour?", {hint: "of the sky"}))`, "blue\n");
    expect(ran.stdout).toBe("blue\n");
    expect(ran.stderr).toBe("\nQuestion: Colour?\n  hint: of the sky\n  > ");
  });

  it("is asked again, with the reason, until the answer fits", async () => {
    const ran = await run(
      `println(ask_user("How many?", {schema: {type: "int", max: 5}}) + 1)`,
      "many\n9\n3\n",
    );
    expect(ran.stdout).toBe("4\n");
    expect(ran.stderr.match(/Question: How many\?/g)).toHaveLength(3);
    expect(ran.stderr).toContain(
      "the answer does not fit the schema: at root: expected type 'int', got 'string'",
    );
  });

  it("takes an empty line, and the end of input, for the default", async () => {
    expect((await run(`println(ask_user("?", {default: 7}))`, "\n")).stdout).toBe("7\n");
    expect((await run(`println(ask_user("?", {default: 7}))`, "")).stdout).toBe("7\n");
    expect((await run(`println(ask_user("?"))`, "")).error).toContain("nobody is there to answer");
  });

  it("is one at a time", async () => {
    const ran = await run(
      `println(parallel each ["a", "b", "c"] { name -> name + ask_user(name) })`,
      "1\n2\n3\n",
    );
    expect(ran.stdout).toBe("[a1, b2, c3]\n");
    expect(ran.stderr).toBe(["a", "b", "c"].map((name) => `\nQuestion: ${name}\n  > `).join(""));
  });
});

describe("an approval at the terminal", () => {
  it("is given by the user of the machine", async () => {
    const ran = await run(`println(request_approval("deploy", {detail: "to prod"}).reviewers.count)`, "y\n");
    expect(ran.stdout).toBe("1\n");
    expect(ran.stderr).toContain("Approval needed: deploy\n  detail: to prod\n");
  });

  it("is denied with a reason", async () => {
    const ran = await run(
      `println(try { request_approval("deploy") } catch (e) { e.reason })`,
      "n\ntoo late\n",
    );
    expect(ran.stdout).toBe("too late\n");
  });

  it("asks for names where several may decide, and for as many as are needed", async () => {
    const ran = await run(
      `println(request_approval("deploy", {quorum: 2, reviewers: ["ada", "bob"]}).reviewers)`,
      "y\neve\ny\nada\ny\nada\nyes\nbob\n",
    );
    expect(ran.stdout).toBe("[ada, bob]\n");
    expect(ran.stderr).toContain("problem: eve is not one of those who may decide (ada, bob)");
  });
});

describe("a person's answer", () => {
  it("is replayed without asking", async () => {
    const both = await recordAndReplayScript(
      `println(ask_user("Colour?"))
       let ok = request_approval("deploy")
       println([ok.approved_at, ok.signatures[0].signature])
       println(ask_user("Nobody?", {timeout: 20, default: "none"}))`,
      at("blue\ny\n"),
    );
    expect(both.recorded.error).toBe("");
    expect(both.replayed.stdout).toBe(both.recorded.stdout);
    expect(both.recorded.stdout).toMatch(/^blue\n\[.*sha256:[0-9a-f]{64}\]\nnone\n$/);
  });

  it("is journalled as class human with the request as its arguments", async () => {
    const both = await recordAndReplayScript(`ask_user("Colour?")`, at("blue\n"));
    const shown = JSON.stringify(both.journal);
    expect(shown).toContain("hitl.question");
    expect(shown).toContain("Colour?");
  });
});
