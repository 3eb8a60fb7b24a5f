/** Options of functions that are written in the language: judged where they are called, by the rows of the doc comment. */
import { expect, it } from "vitest";
import { builtinGlobals, builtinTable } from "../../../src/builtins/index.ts";
import { judgedByCheck } from "../../../src/diagnostics/index.ts";
import { compileProgram } from "../../../src/lower/index.ts";
import { NodeModuleLoader } from "../../../src/program/node-module-loader.ts";
import { SourceFile } from "../../../src/source/index.ts";
import { parse } from "../../../src/syntax/index.ts";
import { typeChecker } from "../../../src/types/index.ts";

const builtins = builtinTable();

const findings = (text: string) =>
  compileProgram(new SourceFile("options.harn", text), {
    builtins,
    globals: builtinGlobals,
    parse,
    loader: new NodeModuleLoader(import.meta.dirname),
    path: `${import.meta.dirname}/options.harn`,
    check: typeChecker({ builtins }),
  }).diagnostics;

const said = (text: string): string[] =>
  findings(text).map((one) => `${one.code} ${one.severity} ${one.message}; ${one.help}`);

it("unknown options of library functions are told with a suggestion", () => {
  expect(said(`import { poll_until } from "std/poll"\npoll_until({ -> 1 }, {timout_ms: 5})`)).toEqual([
    'HARN-OPT-005 warning poll_until: unknown option "timout_ms"; did you mean "timeout_ms"?',
  ]);
  // Of the function that the library hands them on to, and of builtins below it.
  expect(
    said(`import { agent_judge } from "std/agent/judge"\nagent_judge("t", "a", {temprature: 0.5})`),
  ).toEqual(['HARN-OPT-005 warning agent_judge: unknown option "temprature"; did you mean "temperature"?']);
  expect(
    said(`import { with_retry } from "std/llm/handlers"\nwith_retry({ c -> c }, {max_attemps: 5})`),
  ).toEqual(['HARN-OPT-005 warning with_retry: unknown option "max_attemps"; did you mean "max_attempts"?']);
});

it("are errors of a check, and of a run where they bound something", () => {
  const [warned] = findings(`import { rule, page } from "std/tui"\npage({titel: "x"})`);
  expect(judgedByCheck(warned!).severity).toBe("error");
  expect(
    said(`import { with_rate_limit } from "std/llm/tool_middleware"\nwith_rate_limit({max_call: 1})`),
  ).toEqual(['HARN-OPT-001 error with_rate_limit: unknown option "max_call"; did you mean "max_calls"?']);
});

it("wrong types are told too", () => {
  expect(said(`import { slugify } from "std/slug"\nslugify("x", {max_length: "9"})`)).toEqual([
    "HARN-OPT-006 warning slugify: max_length: expected int, got string; `harn doc slugify` lists every option with its type and default",
  ]);
});

it("right ones, notes, data and what is not literal are not", () => {
  expect(
    said(`import { poll_until } from "std/poll"
import { schema_list } from "std/schema"
fn given() { return {anything: 1} }
poll_until({ -> 1 }, {timeout_ms: 5, _note: "mine"})
poll_until({ -> 1 }, given())
schema_list(nil, {whatever: 1})
`),
  ).toEqual([]);
});

it("a program's own functions may have rows as well", () => {
  const text = `/**
 * Sends.
 *
 * @option options.retries: int = 2 — Further tries.
 */
fn send(text, options = nil) { return options }
send("x", {retrys: 1})
send("x", {retries: 1})
`;
  expect(said(text)).toEqual(['HARN-OPT-005 warning send: unknown option "retrys"; did you mean "retries"?']);
});
