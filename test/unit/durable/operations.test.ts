/**
 * Operations are pure (cluster.md §5.3): each is run twice over the same frozen state and arguments, and once more as an engine
 * would that loads what is read bit by bit; all three must come to the same. The embedded engine must give what they give.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AnyOperation } from "../../../src/durable/operation.ts";
import { allOperations } from "../../../src/durable/operations/index.ts";
import { emptyState, run, runUnread, type State } from "../../support/operation-engines.ts";
import { type Sample, samples } from "./samples.ts";

const operationOf = (name: string): AnyOperation => {
  const found = allOperations.get(name);
  if (found === undefined) throw new Error(`there is no operation ${name}`);
  return found;
};

const stateBefore = ({ before = [] }: Sample, state: State = emptyState()): State =>
  before.reduce((known, [name, args]) => {
    const outcome = run(operationOf(name), args, known);
    expect(outcome.result).not.toMatch(/^[a-z]+: /);
    return outcome.state;
  }, state);

describe("every operation", () => {
  it("has a sample, and every sample an operation", () => {
    expect([...new Set(samples.map(({ operation }) => operation))].sort()).toEqual(
      [...allOperations.keys()].sort(),
    );
  });

  it.each(samples.map((sample) => [sample.operation, sample] as const))(
    "%s does the same each time",
    (name, sample) => {
      const operation = operationOf(name);
      const state = stateBefore(sample, sample.state);
      const first = run(operation, sample.args, state);
      expect(run(operation, sample.args, state)).toEqual(first);
      expect(runUnread(operation, sample.args, state)).toEqual(first);
      if (typeof sample.result === "string") expect(first.result).toBe(sample.result);
      else expect(first.result).toMatch(sample.result);
      if (operation.reads === true) expect(first.state).toEqual(state);
    },
  );

  it.each(samples.map((sample) => [sample.operation, sample] as const))(
    "%s names whose business it is, and says what it does",
    (name, { args }) => {
      const operation = operationOf(name);
      const scopes = operation.scopes(args as never);
      expect(scopes.length).toBeGreaterThan(0);
      expect(new Set(scopes).size).toBe(scopes.length);
      expect(operation.doc).toMatch(/^[A-Z].*\.$/);
    },
  );
});

describe("the sources of operations", () => {
  const folder = "src/durable/operations";
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => [name, readFileSync(join(folder, name), "utf8")] as const);

  it.each(files)("%s looks at no clock, no chance, no file", (_name, text) => {
    const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "").replace(/"(?:[^"\\\n]|\\.)*"(?!;)/g, '""');
    expect(code).not.toMatch(
      /\bDate\b(?!\()(?!\.UTC|\.parse)|Date\.now|new Date\(\)|Math\.random|performance|process\.|crypto|setTimeout|await |async |Promise|fetch\(/,
    );
    for (const [, from = ""] of text.matchAll(/from "([^"]+)"/g)) {
      if (from.startsWith("./")) continue;
      expect(from).toMatch(
        /^(?:\.\.\/)+(?:effects|store|table|values)\/index\.ts$|^(?:\.\.\/)+(?:[a-z-]+\/)?[a-z-]+\.ts$/,
      );
      expect(from).not.toMatch(/embedded|dispatcher|ledger|waiters|run-ledger|projection\.ts/);
    }
  });
});
