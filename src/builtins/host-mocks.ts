/** Mocked host operations: Runtime state in nested scopes, the last registered that fits wins. */
import { stateKey, type Task } from "../interp/index.ts";
import { Dict, equals, List, thrown, type Value } from "../values/index.ts";
import { textOf } from "./arguments.ts";

interface HostMock {
  readonly capability: string;
  readonly operation: string;
  readonly result: Value;
  readonly error: string | undefined;
  readonly params: Dict | undefined;
}

interface HostScope {
  mocks: HostMock[];
  calls: Dict[];
}

const hostScopes = stateKey<{ stack: HostScope[] }>("host mocks", () => ({
  stack: [{ mocks: [], calls: [] }],
}));

function current(task: Task): HostScope {
  return task.runtime.state(hostScopes).stack.at(-1) as HostScope;
}

const configKeys = ["result", "params", "error"] as const;

/** Registers a mock; a dict with `result`, `params` or `error` is a configuration, anything else the result. */
export function addHostMock(
  task: Task,
  capability: string,
  operation: string,
  value: Value,
  params: Value,
): void {
  const config = value instanceof Dict && configKeys.some((key) => value.has(key)) ? value : undefined;
  const wanted = config?.get("params") ?? params;
  const error = config?.get("error") ?? null;
  current(task).mocks.push({
    capability,
    operation,
    result: config === undefined ? value : (config.get("result") ?? null),
    error: error === null ? undefined : textOf(error),
    params: wanted instanceof Dict ? wanted : undefined,
  });
}

const fits = (wanted: Dict | undefined, params: Dict): boolean =>
  wanted === undefined ||
  [...wanted.entries()].every(([key, value]) => equals(params.get(key) ?? null, value));

/** The answer of the mock that fits, recorded as a call; `undefined` when none does. */
export function mockedAnswer(
  task: Task,
  capability: string,
  operation: string,
  params: Dict,
): Value | undefined {
  const scope = current(task);
  const mock = scope.mocks.findLast(
    (one) => one.capability === capability && one.operation === operation && fits(one.params, params),
  );
  if (mock === undefined) return undefined;
  scope.calls.push(Dict.of({ capability, operation, params }));
  if (mock.error !== undefined) throw thrown(mock.error);
  return mock.result;
}

/** Mocked operations by capability. */
export function mockedOperations(task: Task): Map<string, Set<string>> {
  const operations = new Map<string, Set<string>>();
  for (const { capability, operation } of current(task).mocks) {
    const known = operations.get(capability) ?? new Set();
    operations.set(capability, known.add(operation));
  }
  return operations;
}

export function hostMockCalls(task: Task): List {
  return new List([...current(task).calls]);
}

export function clearHostMocks(task: Task): void {
  const scope = current(task);
  scope.mocks = [];
  scope.calls = [];
}

export function pushHostMocks(task: Task): void {
  task.runtime.state(hostScopes).stack.push({ mocks: [], calls: [] });
}

export function popHostMocks(task: Task): void {
  const { stack } = task.runtime.state(hostScopes);
  if (stack.length === 1) throw thrown("host_mock_pop_scope: no scope to pop");
  stack.pop();
}
