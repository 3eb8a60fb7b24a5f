import { expect, test } from "vitest";
import { Interventions } from "../../../../src/model/conversation/interventions.ts";

const place = (turn: number) => ({ loop: "l1", turn, event: 7 });
const input = (rule: string) => ({ kind: "repair", rule, reason: "because", facts: {} }) as const;

test("interventions are numbered from 1, and say what nobody gave", () => {
  const list = new Interventions();
  const first = list.add(place(3), input("a"));
  expect(first).toEqual({ n: 1, ...place(3), ...input("a"), messages: [], call: null });
  expect(list.add(place(3), { ...input("b"), messages: ["msg_2"], call: "c1" }).n).toBe(2);
  expect(list.list(2).map(({ rule }) => rule)).toEqual(["b"]);
});

test("the last 10,000 are kept, and numbers go on", () => {
  const list = new Interventions();
  for (let at = 1; at <= 25_001; at++) list.add(place(at), input(`r${at}`));
  const kept = list.list();
  expect([kept.length, kept[0]?.n, kept.at(-1)?.n, list.count]).toEqual([10_000, 15_002, 25_001, 25_001]);
});

test("a snapshot puts them back, and the next has the next number", () => {
  const before = new Interventions();
  for (let at = 1; at <= 3; at++) before.add(place(at), input(`r${at}`));
  const after = new Interventions();
  after.restore(before.list());
  expect(after.add(place(4), input("r4")).n).toBe(4);
  expect(after.list().length).toBe(4);
});
