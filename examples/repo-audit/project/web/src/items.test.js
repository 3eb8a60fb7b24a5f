import assert from "node:assert/strict";
import { test } from "node:test";
import { isLow, label } from "./items.js";

test("an item below its minimum is low", () => {
  assert.equal(isLow({ amount: 1, minimum: 2 }), true);
});

test("an item without a minimum is never low", () => {
  assert.equal(isLow({ amount: 0 }), false);
});

test("a label names amount and unit", () => {
  assert.equal(label({ name: "rice", amount: 2, unit: "kg" }), "rice: 2 kg");
});
