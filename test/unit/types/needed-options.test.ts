/** Options that mean nothing without another one: told by `harn check`, in the words of the call that would stop. */
import { expect, it } from "vitest";
import { builtinGlobals, builtinTable } from "../../../src/builtins/index.ts";
import { compileProgram } from "../../../src/lower/index.ts";
import { SourceFile } from "../../../src/source/index.ts";
import { parse } from "../../../src/syntax/index.ts";
import { typeChecker } from "../../../src/types/index.ts";

const builtins = builtinTable();

const said = (text: string): string[] =>
  compileProgram(new SourceFile("needed.harn", text), {
    builtins,
    globals: builtinGlobals,
    parse,
    check: typeChecker({ builtins, fields: true }),
  }).diagnostics.map((one) => `${one.code} ${one.message}`);

const missing = (caller: string): string =>
  `HARN-OPT-007 ${caller}: \`completion.evidence\` is "contract", but there is none: give \`contract\`, or set one before with agent_contract_set`;

it("evidence by a contract, and no contract", () => {
  expect(said(`agent_loop("x", nil, {completion: {evidence: "contract"}})`)).toEqual([missing("agent_loop")]);
  expect(said(`agent_turn("x", {completion: {evidence: "contract"}})`)).toEqual([missing("agent_turn")]);
  expect(said(`sub_agent_run("x", {completion: {evidence: "contract"}})`)).toEqual([
    missing("sub_agent_run"),
  ]);
});

it("where it may come from elsewhere, nothing is said", () => {
  const by = (options: string): string[] => said(`fn f(o) { agent_loop("x", nil, ${options}) }`);
  expect(by(`{completion: {evidence: "contract"}, session_id: "s"}`)).toEqual([]);
  expect(by(`{completion: {evidence: "contract"}, contract: o}`)).toEqual([]);
  expect(by(`{completion: {evidence: "contract"}, control: {contract: o}}`)).toEqual([]);
  expect(by(`{completion: {evidence: "contract"}, ...o}`)).toEqual([]);
  expect(by(`o + {completion: {evidence: "contract"}}`)).toEqual([]);
  expect(by(`{completion: {evidence: "cited"}}`)).toEqual([]);
});
