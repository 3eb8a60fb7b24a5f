/** Host capabilities (builtins.md §2.14): mocks first, then the operations that this host has itself. */
import { approvers, callHost, hostBridge } from "../agent/index.ts";
import { nearest } from "../diagnostics/index.ts";
import { type EffectCall, type Json, shape } from "../effects/index.ts";
import { isInputMocked, type Task, takeMockedLine } from "../interp/index.ts";
import { registryOf } from "../model/index.ts";
import { skillMatchers } from "../skills/index.ts";
import { at, defineBuiltins, refusal } from "../table/index.ts";
import {
  Dict,
  encodeValue,
  fromJson,
  List,
  type MaybePromise,
  optionsDict,
  proceed,
  thrown,
  type Value,
} from "../values/index.ts";
import { type Argument, option, textOf } from "./arguments.ts";
import { hostCapabilities } from "./capabilities.ts";
import {
  addHostMock,
  clearHostMocks,
  hostMockCalls,
  mockedAnswer,
  mockedOperations,
  popHostMocks,
  pushHostMocks,
} from "./host-mocks.ts";
import { underPolicy } from "./process/command-policy.ts";
import { commandEffect } from "./process/processes.ts";
import { needParameter, runShaped, shellId } from "./process/shaped-commands.ts";
import { getDefaultShell, listShells, setDefaultShell, shellInvocation } from "./process/shells.ts";
import { renderFile } from "./text/templates.ts";

type HostCallRun = (task: Task, params: Dict) => MaybePromise<Value>;

/** Performs an operation as an effect of its own. */
function effect(
  kind: string,
  type: "read" | "write" | "human",
  run: HostCallRun,
  known?: (params: Dict) => Pick<EffectCall<Value>, "inDoubt" | "onlyReads">,
): HostCallRun {
  return (task, params) =>
    task.perform<Value>({
      effect: type,
      kind,
      args: (): Json => encodeValue(params),
      run: () => run(task, params),
      ...known?.(params),
      result: shape.value(task.runtime.structs),
    });
}

const perform = effect("process.exec", "write", runShaped, commandEffect);
/** A question to the person at the terminal. */
function askHostOperation(task: Task, params: Dict): MaybePromise<Value> {
  hostCapabilities(task.runtime.host)?.need("people", "host_call interaction.ask");
  task.write(`${textOf(needParameter(params, "question"))} `);
  if (isInputMocked(task.runtime)) return (takeMockedLine(task.runtime) ?? "").trimEnd();
  return proceed(task.runtime.host.readLine(task.signal), (line) => (line ?? "").trimEnd());
}

const askPerson = effect("interaction.ask", "human", askHostOperation);
/** A made-up answer is read again on replay, so it is not recorded. */
const askAnybody: HostCallRun = (task, params) =>
  (isInputMocked(task.runtime) ? askHostOperation : askPerson)(task, params);

const descriptions: Readonly<Record<string, string>> = {
  process: "Running programs and shells.",
  template: "Rendering prompt templates.",
  interaction: "Asking the person at the terminal.",
};

const operations: ReadonlyMap<string, { readonly doc: string; readonly run: HostCallRun }> = new Map([
  ["process.exec", { doc: "Runs a program or a shell line.", run: perform }],
  [
    "process.list_shells",
    { doc: "The shells of the machine.", run: effect("process.list_shells", "read", listShells) },
  ],
  [
    "process.get_default_shell",
    {
      doc: "The shell used without `shell_id`.",
      run: effect("process.get_default_shell", "read", getDefaultShell),
    },
  ],
  [
    "process.set_default_shell",
    {
      doc: "Chooses the default shell.",
      run: (task, params) => setDefaultShell(task, textOf(needParameter(params, "shell_id"))),
    },
  ],
  [
    "process.shell_invocation",
    {
      doc: "Program and arguments that run a line in a shell.",
      run: effect("process.shell_invocation", "read", (task, params) =>
        shellInvocation(
          task,
          shellId(params),
          textOf(needParameter(params, "command")),
          option(params, "login") === true,
        ),
      ),
    },
  ],
  [
    "template.render",
    {
      doc: "Renders a template file.",
      run: (task, params) =>
        renderFile(task, textOf(needParameter(params, "path")), option(params, "bindings")),
    },
  ],
  ["interaction.ask", { doc: "Asks a question.", run: askAnybody }],
] as [string, { doc: string; run: HostCallRun }][]);

function callMockableHost(task: Task, name: string, value: Argument): MaybePromise<Value> {
  const dot = name.indexOf(".");
  if (dot <= 0) throw thrown(`host_call: unsupported operation name '${name}'`);
  const params = optionsDict("host_call", value, "params");
  const mocked = mockedAnswer(task, name.slice(0, dot), name.slice(dot + 1), params);
  if (mocked !== undefined) return mocked;
  // Programs are under the command policies, whoever runs them.
  if (name === "process.exec")
    return underPolicy(task, params, (request) => callHost(task, name, request) ?? perform(task, request));
  const bridged = callHost(task, name, params);
  if (bridged !== undefined) return bridged;
  const operation = operations.get(name);
  if (operation === undefined) {
    const near = nearest(name, [...task.runtime.state(hostBridge).operations.keys(), ...operations.keys()]);
    const meant = near === undefined ? "" : `: did you mean ${near}?`;
    throw thrown(`host_call: unsupported operation ${name}${meant}`);
  }
  return operation.run(task, params);
}

/** Operations by capability: our own, those of the program around the runtime, and the mocked ones. */
function known(task: Task): Map<string, Set<string>> {
  const all = mockedOperations(task);
  for (const name of [...operations.keys(), ...task.runtime.state(hostBridge).operations.keys()]) {
    const [capability = "", operation = ""] = name.split(".");
    all.set(capability, (all.get(capability) ?? new Set()).add(operation));
  }
  return all;
}

const docOf = (task: Task, name: string): string =>
  operations.get(name)?.doc ?? task.runtime.state(hostBridge).operations.get(name)?.doc ?? "Mocked.";

const hostOffers = (task: Task, capability: string): boolean =>
  [...task.runtime.state(hostBridge).operations.keys()].some((name) => name.startsWith(`${capability}.`));

function capabilities(task: Task): Dict {
  return Dict.from(
    [...known(task)].map(([capability, ops]) => {
      const names = [...ops].sort();
      const described = names.map(
        (name) => [name, Dict.of({ description: docOf(task, `${capability}.${name}`) })] as const,
      );
      const entry = Dict.of({
        description:
          descriptions[capability] ?? (hostOffers(task, capability) ? "Offered by the host." : "Mocked."),
        ops: new List(names),
        operations: Dict.from(described),
      });
      return [capability, entry] as const;
    }),
  );
}

/** The entries of what the host offers as tools, in its order. */
function hostTools(task: Task, wanted: Argument): Dict {
  const offered = [...task.runtime.state(hostBridge).operations.values()].flatMap(({ tool }) =>
    tool === undefined ? [] : [fromJson(tool) as Dict],
  );
  if ((wanted ?? null) === null) return registryOf(offered);
  if (!(wanted instanceof List)) throw refusal(at("host_tools", "names"), "list", wanted);
  const byName = new Map(offered.map((entry) => [textOf(entry.get("name")), entry]));
  const picked = [...wanted].map((name) => {
    const entry = byName.get(textOf(name));
    if (entry !== undefined) return entry;
    const there = byName.size === 0 ? "offers none" : `has ${[...byName.keys()].join(", ")}`;
    throw thrown(`host_tools: the host has no tool '${textOf(name)}'; it ${there}`);
  });
  return registryOf(picked);
}

/** For tools that run on the host. */
function mockedOperation(task: Task, name: string, params: Dict): Value | undefined {
  const dot = name.indexOf(".");
  return dot <= 0 ? undefined : mockedAnswer(task, name.slice(0, dot), name.slice(dot + 1), params);
}

export const hostCalls = defineBuiltins(
  "host",
  {
    host_call: {
      doc: "Calls an operation `capability.operation` of the host; mocks answer first.",
      sig: "(name: string, params?: dict) -> any",
      effect: "write",
      traits: ["unvalidated"],
      performs: true,
      suspends: "may",
      run: (task, name: Argument, params: Argument) => callMockableHost(task, textOf(name), params),
    },
    host_capabilities: {
      doc: "`{capability: {description, ops, operations}}`, mocked ones included.",
      sig: "() -> dict",
      effect: "state",
      example: "host_capabilities().template.ops  // [render]",
      run: (task) => capabilities(task),
    },
    host_has: {
      doc: "Whether the host has a capability, or one operation of it.",
      sig: "(capability: string, operation?: string) -> bool",
      effect: "state",
      example: 'host_has("process", "exec")  // true',
      run: (task, capability: Argument, operation: Argument) => {
        const ops = known(task).get(textOf(capability));
        return (
          ops !== undefined && (operation === undefined || operation === null || ops.has(textOf(operation)))
        );
      },
    },
    host_tools: {
      doc: 'The tools of the program around the run, as a registry for `agent_loop`: all of them, or those of these names. Scripts call one by `host_call("tool.NAME", input)`.',
      sig: "(names: list<string> | nil = nil) -> dict",
      effect: "observe",
      example: "tool_count(host_tools())  // 0",
      run: (task, names: Argument) => hostTools(task, names),
    },
    host_mock: {
      doc: "Answers an operation with a value, or as `{result, params, error}` says. The last that fits wins.",
      sig: "(capability: string, operation: string, value?: any, params?: dict) -> nil",
      effect: "state",
      example: 'host_mock("project", "name", "demo")  // nil',
      run: (task, capability: Argument, operation: Argument, value: Argument, params: Argument) => {
        if (textOf(capability) === "" || textOf(operation) === "") {
          throw thrown("host_mock: capability and operation are required");
        }
        const wanted = (params ?? null) === null ? null : optionsDict("host_mock", params, "params");
        // What a policy asks a person is answered by a mock of `session.request_permission`.
        task.runtime.state(approvers).mock ??= (at, request) =>
          mockedAnswer(at, "session", "request_permission", request);
        task.runtime.state(hostBridge).mock ??= mockedOperation;
        task.runtime.state(skillMatchers).mock ??= (at, request) =>
          mockedAnswer(at, "skill", "match", request);
        addHostMock(task, textOf(capability), textOf(operation), value ?? null, wanted);
        return null;
      },
    },
    host_mock_calls: {
      doc: "The mocked calls so far: `{capability, operation, params}`.",
      sig: "() -> list<dict>",
      effect: "state",
      example: "host_mock_calls()  // []",
      run: (task) => hostMockCalls(task),
    },
    host_mock_clear: {
      doc: "Forgets mocks and calls of the current scope.",
      sig: "() -> nil",
      effect: "state",
      run: (task) => {
        clearHostMocks(task);
        return null;
      },
    },
    host_mock_push_scope: {
      doc: "Opens a scope with mocks and calls of its own.",
      sig: "() -> nil",
      effect: "state",
      run: (task) => {
        pushHostMocks(task);
        return null;
      },
    },
    host_mock_pop_scope: {
      doc: "Closes the scope of `host_mock_push_scope`.",
      sig: "() -> nil",
      effect: "state",
      run: (task) => {
        popHostMocks(task);
        return null;
      },
    },
  },
  { params: "parameters of the host operation" },
);
