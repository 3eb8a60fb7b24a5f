/** What of a trial's time is no work. */
import { expect, it } from "vitest";
import { TrialWaits } from "../../../../src/eval/engine/index.ts";

const permit = { name: "openai", category: "provider" } as const;

function waits() {
  const clock = { now: 0 };
  const trial = new TrialWaits(() => clock.now);
  const at = (now: number): TrialWaits => {
    clock.now = now;
    return trial;
  };
  return { at };
}

it("waits beside each other count once, also while they go on", () => {
  const { at } = waits();
  const first = at(0).begin(permit);
  const second = at(10).begin(permit);
  expect(at(15).ms).toBe(15);
  at(20);
  first();
  expect(at(30).ms).toBe(30);
  second();
  expect(at(50).ms).toBe(30);
  const third = at(60).begin(permit);
  at(65);
  third();
  expect(at(100).ms).toBe(35);
});

it("a request is work as soon as its answer begins, and none when it fails", () => {
  const { at } = waits();
  const limit = at(5).since();
  let less = 0;
  limit.whenLess(() => less++);
  const slow = at(10).send("openai");
  at(40);
  expect(limit.ms).toBe(30);
  slow.answers();
  expect(less).toBe(1);
  expect(limit.ms).toBe(0);
  at(45);
  slow.over("answered");
  const broken = at(50).send("openai");
  at(60);
  broken.answers();
  at(70);
  broken.over("failed");
  expect(limit.ms).toBe(20);
});

it("silence of a provider that failed before is no wait: a limit that is met then is the provider's", () => {
  const { at } = waits();
  const cut = at(0).send("openai");
  expect(at(5).awaited("time")).toBeUndefined();
  cut.over("cut off");
  at(10).send("openai").over("failed");
  const silent = at(10).send("openai");
  expect(at(30).ms).toBe(0);
  expect(at(30).awaited("time")).toEqual(permit);
  silent.over("cut off");
  // What was cut off from here says nothing of the provider.
  const next = at(40).send("openai");
  expect(at(50).awaited("time")).toEqual(permit);
  next.over("answered");
  at(60).send("openai");
  expect(at(70).awaited("time")).toBeUndefined();
});

it("only one that does nothing else for a while, and waits for nothing that others need too, leaves its place", () => {
  const { at } = waits();
  expect(at(0).isIdle).toBe(false);
  const first = at(0).begin(permit);
  // What is over at once is no wait.
  expect(at(0).isIdle).toBe(false);
  expect(at(100).isIdle).toBe(true);
  const sent = at(100).send("other");
  expect(at(200).isIdle).toBe(false);
  sent.over("answered");
  const money = at(200).begin({ name: "money", category: "environment", isShared: true });
  expect(at(300).isIdle).toBe(false);
  expect(at(300).awaited("wall")).toEqual(permit);
  money();
  first();
  expect(at(400).awaited("wall")).toBeUndefined();
});
