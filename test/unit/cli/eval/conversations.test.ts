/** The harness of docs/evals.md with an agent, a user and a judge whose answers are written down: what goes wrong, and whose fault it is. */
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { harnHere } from "../../../support/harn-here.ts";
import { projectRoot } from "../../../support/project.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const fresh = tempFolders("conversations");
const examples = join(projectRoot, "examples/evals");

interface Answer {
  readonly match: string;
  readonly text?: string;
  readonly tool_calls?: readonly { readonly name: string; readonly arguments: object }[];
}

const user = (match: string, action: "reply" | "stop", message: string): Answer => ({
  match: `${match}What do you say?*`,
  text: JSON.stringify({ reason: "r", action, message }),
});
const judge = (match: string, verdict: "pass" | "fail"): Answer => ({
  match: `${match}Judge by the rubric*`,
  text: JSON.stringify({ reasoning: "r", verdict }),
});
const says = (match: string, text: string): Answer => ({ match, text });
const calls = (match: string, name: string, args: object): Answer => ({
  match,
  tool_calls: [{ name, arguments: args }],
});

const order = { id: "A17" };
const passes = judge("*", "pass");

/** The script of section "A whole harness", over one row and one variant, with these answers. */
async function played(answers: readonly Answer[], row: object = {}) {
  const folder = fresh();
  copyFileSync(join(examples, "refunds.eval.harn"), join(folder, "refunds.eval.harn"));
  const sample = {
    case: "r01",
    customer: "ann",
    orders: { A17: { status: "delivered", amount: 42 } },
    orders_after: { A17: { status: "refunded", amount: 42 } },
    scenario: {
      goal: "Money back for the kettle.",
      knows: { order: "A17" },
      opening: "I'd like to return a kettle.",
    },
    must_say: ["42"],
    never_call: [],
    ...row,
  };
  writeFileSync(join(folder, "refunds.jsonl"), `${JSON.stringify(sample)}\n`);
  writeFileSync(join(folder, "answers.jsonl"), answers.map((one) => `${JSON.stringify(one)}\n`).join(""));
  const args = [
    "eval",
    "run",
    "refunds.eval.harn",
    "--llm-mock",
    "answers.jsonl",
    "--epochs",
    "1",
    "--variant",
    "model=gpt-4o-mini",
  ];
  const { stdout, stderr } = await harnHere([...args, "--quiet", "--json"], { cwd: folder });
  expect(stderr).not.toContain("error");
  const task = JSON.parse(stdout).tasks.refunds;
  const value = (name: string): number | null => task.metrics[name]?.value ?? null;
  return {
    done: task.done,
    success: value("success"),
    judge: value("judge"),
    world: value("world_is"),
    toolCalls: value("tool_calls"),
    faults: task.faults,
    blame: task.blame,
  };
}

describe("conversations with a simulated user", () => {
  const refundOnYes = [
    calls('*"status":"delivered"*Yes*', "refund", { ...order, reason: "unopened" }),
    says('*"status":"delivered"*', "It costs $42. I can refund it, say yes."),
    calls("*It is A17.*", "find_order", order),
  ];

  it("a refund that is right, and a user that confirms and stops at once", async () => {
    expect(
      await played([
        passes,
        user("*refunded $42*", "stop", ""),
        user("*say yes*", "stop", "Yes, thanks."),
        user("*Which order*", "reply", "It is A17."),
        says('*"ok":true*', "I have refunded $42."),
        ...refundOnYes,
        says("*", "Which order is it?"),
      ]),
    ).toEqual({ done: 1, success: 1, judge: 1, world: 1, toolCalls: 1, faults: {}, blame: {} });
  });

  it("a refund that is forbidden is the agent's failure", async () => {
    const found = await played(
      [
        passes,
        user("*refunded $42*", "stop", ""),
        user("*Which order*", "reply", "It is A17."),
        says('*"ok":true*', "I have refunded $42."),
        calls('*"status":"delivered"*', "refund", { ...order, reason: "they asked" }),
        calls("*It is A17.*", "find_order", order),
        says("*", "Which order is it?"),
      ],
      { never_call: ["refund"], orders_after: { A17: { status: "delivered", amount: 42 } } },
    );
    expect(found).toMatchObject({ success: 0, world: 0, toolCalls: 0, faults: {}, blame: { agent: 1 } });
  });

  it("a user that invents an order number is to blame", async () => {
    const found = await played([
      passes,
      user("*no such order*", "stop", ""),
      user("*Which order*", "reply", "It is B99."),
      says("*no such order*I looked*", "There is no such order."),
      says('*"error"*', "I looked, but there is no such order."),
      calls("*It is B99.*", "find_order", { id: "B99" }),
      says("*", "Which order is it?"),
    ]);
    expect(found).toMatchObject({ done: 1, success: 0, faults: { invented: 1 }, blame: { user: 1 } });
  });

  it("a promise too much is what the judge finds", async () => {
    const found = await played([
      judge("*lifelong*", "fail"),
      passes,
      user("*lifelong*", "stop", ""),
      user("*say yes*", "reply", "Yes, thanks."),
      user("*Which order*", "reply", "It is A17."),
      says('*"ok":true*', "I have refunded $42, and you have a lifelong warranty."),
      ...refundOnYes,
      says("*", "Which order is it?"),
    ]);
    // The judge is not among the scorers that decide.
    expect(found).toMatchObject({ success: 1, judge: 0, faults: {}, blame: {} });
  });
});
