/**
 * Wall 38: the gate belongs to the effect. Every builtin of the table that can touch the machine is called, with arguments
 * made from its signature, under rules that forbid all of it; nothing may be touched. A new builtin is in this test the day
 * it is in the table.
 */
// suite: slow

import { describe, expect, it } from "vitest";
import {
  builtinTable,
  Capabilities,
  capabilityGroups,
  restrictHost,
  restrictTable,
} from "../../src/builtins/index.ts";
import type { Effects } from "../../src/effects/index.ts";
import { type BuiltinSpec, parseSignature, type SignatureParam } from "../../src/table/index.ts";
import { liveEffects } from "../support/concurrent.ts";
import { runScript } from "../support/run-script.ts";
import { tripwire } from "./tripwire.ts";

/** Arguments that a signature does not tell. */
const special: Readonly<Record<string, string>> = {
  exec_opts: '(["ls", "/etc"])',
  spawn_captured: '({cmd: "ls", args: ["/etc"]})',
  process_start: '({argv: ["ls", "/etc"]})',
  host_call: '("process.exec", {argv: ["ls", "/etc"]})',
  http_request: '("GET", "https://a.test/x")',
  http_session_request: '(http_session({}), "GET", "https://a.test/x")',
  sse_connect: '("GET", "https://a.test/x")',
  websocket_connect: '("wss://a.test/x")',
  http_server_listen: "(http_server({}))",
  http_server_serve: "(http_server_listen(http_server({})))",
  monitor_wait_for:
    '({name: "m", timeout: 1, poll_interval: 1, source: {poll: { -> nil }}, condition: { x -> true }})',
  waitpoint_wait: '("w", {timeout: 1})',
  pg_pool: '("postgres://u:p@a.test/db")',
  pg_connect: '("postgres://u:p@a.test/db")',
  mcp_connect: '("ls", ["-l"])',
  mcp_server_card: '("https://a.test/card.json")',
  workflow_execute: '("t", {})',
  agent_session_seed_from_jsonl: '("/elsewhere/s.jsonl")',
  run_record_save: '(run_record({task: "t"}), "/elsewhere/r.json")',
  replace_files: '([{path: "/elsewhere/a", before_hash: "0", text: ""}])',
  metadata_save: "()",
  eval_run: '(eval_task({name: "t", dataset: [{input: "a"}], scorers: [{ _o, _s -> true }]}))',
  eval_suite_run: '({cases: [{id: "a", run_path: "/elsewhere/r.json"}]})',
  eval_pack_run: '({version: 1, id: "p", cases: [{id: "a", run: "/elsewhere/r.json"}]})',
  continue_as_new: '("/elsewhere/w")',
  http_download: '("https://a.test/x", "/elsewhere/d")',
  sse_server_send: '(sse_server_response({}), {data: "x"})',
  sse_server_heartbeat: "(sse_server_response({}))",
  session_run: '({session: "s"})',
  session_info: '("s")',
  session_send: '("s", "text")',
  session_create: '("s", {agent: "a"})',
  session_wake: '("s", {key: "k", at: 1})',
  paper_arrange: '("p_x", [{title: "t"}])',
  paper_insert: '("p_x", {title: "t"})',
  paper_set: '("p_x", {title: "t"})',
  paper_place: '("p_x", "s_x", {position: 1})',
  paper_cite: '("p_x", [{item: {title: "t"}}])',
  library_put: '({title: "t"})',
  trigger_register:
    '({id: "t", kind: "cron", provider: "cron", handler: { e -> e }, match: {events: ["x"]}})',
};

/** Needs a connection, a handle or a client that nobody gets under such rules: what makes one is in the table, too. */
const needsHandle = new Set([
  "process_read",
  "process_wait",
  "process_cancel",
  "http_stream_read",
  "sse_receive",
  "websocket_send",
  "websocket_receive",
  "websocket_accept",
  "pg_query",
  "pg_query_one",
  "pg_execute",
  "pg_transaction",
  "mcp_list_tools",
  "mcp_call",
  "mcp_list_resources",
  "mcp_list_resource_templates",
  "mcp_read_resource",
  "mcp_list_prompts",
  "mcp_get_prompt",
  "mcp_disconnect",
  "mcp_ensure_active",
]);

function argument({ name, type }: SignatureParam): string {
  const shown = JSON.stringify(type);
  if (name === "url" || name === "uri") return '"https://a.test/x"';
  if (/path|dir|directory|from|to|destination|root|base|target|source/.test(name)) return '"/elsewhere/x"';
  if (name === "command") return '"ls"';
  if (shown.includes('"bytes"')) return 'bytes_from_string("x")';
  if (shown.includes('"dict"')) return '{name: "x"}';
  if (shown.includes('"list"')) return "[]";
  if (shown.includes('"fn"')) return "{ x -> x }";
  if (shown.includes('"int"')) return "1";
  return '"x"';
}

function callOf(spec: BuiltinSpec): string {
  const args =
    special[spec.name] ??
    `(${parseSignature(spec.sig)
      .params.filter(({ optional }) => !optional)
      .map(argument)
      .join(", ")})`;
  return spec.name + args;
}

/** They look through folders and leave out those that may not be read (docs/skills.md). */
const leavesOut = new Set(["discover_skills", "load_skill"]);

const groups = (spec: BuiltinSpec): string[] => (spec.capability ?? "").split(" ");
const machine = new Set(["fs.read", "fs.write", "net", "process"]);
const touches = (spec: BuiltinSpec): boolean =>
  !needsHandle.has(spec.name) && groups(spec).some((group) => machine.has(group));
/** Everything that may reach the machine: what says so, and every other effect that reads or writes. */
const candidates = [...builtinTable().values()].filter(
  (spec) =>
    touches(spec) || (!needsHandle.has(spec.name) && (spec.effect === "read" || spec.effect === "write")),
);

/** `NAME<tab>result` a line for each call; the calls run one after another. */
const attempts = (specs: readonly BuiltinSpec[]): string =>
  specs
    .map((spec) => `  println("${spec.name}\\t" + to_string(try { ${callOf(spec)} } catch (e) { e }))`)
    .join("\n");

function resultsOf(stdout: string): Map<string, string> {
  const found = new Map<string, string>();
  let last = "";
  for (const line of stdout.split("\n")) {
    const tab = line.indexOf("\t");
    if (tab > 0 && builtinTable().has(line.slice(0, tab))) {
      last = line.slice(0, tab);
      found.set(last, line.slice(tab + 1));
    } else found.set(last, `${found.get(last) ?? ""}\n${line}`);
  }
  return found;
}

const inTool = (body: string, policy: string): string => `
let reg = tool_define(tool_registry(), "go", "Goes.", {handler: { a ->
${body}
  return "done"
}})
llm_mock({tool_calls: [{name: "go", arguments: {}}]})
llm_mock({text: "end"})
agent_loop("Go.", nil, {tools: reg, tool_format: "native", policy: ${policy}})
`;

describe("every builtin", () => {
  it("is looked at at all", () => {
    expect(candidates.length).toBeGreaterThan(100);
  });

  it("that touches the machine is refused under --deny, in plain words", async () => {
    const wire = tripwire({ "/elsewhere/x": "secret" });
    const lists = Capabilities.of({ deny: ["fs", "net", "process"] }, builtinTable(), "/work");
    // With the table open, too: the machine refuses what a builtin forgot to say that it needs.
    const open = builtinTable();
    for (const builtins of [restrictTable(open, lists), open]) {
      const run = await runScript(attempts(candidates), {
        runtime: { host: restrictHost(wire.host, lists), builtins },
      });
      expect(run.error).toBe("");
      expect(wire.touched.filter((one) => !isOwnLooking(one))).toEqual([]);
      const results = resultsOf(run.stdout);
      const missed = candidates.filter(touches).filter(({ name }) => {
        if (builtins === open && leavesOut.has(name)) return false;
        const said = results.get(name) ?? "nothing";
        return !/needs the capability|tool_rejected|refused/.test(said);
      });
      expect(missed.map(({ name }) => `${name}: ${results.get(name)}`)).toEqual([]);
    }
  });

  it("that touches the machine is refused under a loop's ceilings", async () => {
    for (const policy of ['{side_effect_level: "none"}', '{capabilities: {nothing: ["at_all"]}}']) {
      const wire = tripwire({ "/elsewhere/x": "secret" });
      const run = await runScript(inTool(attempts(candidates), policy), { runtime: { host: wire.host } });
      expect(run.error).toBe("");
      expect(wire.touched.filter((one) => !isOwnLooking(one))).toEqual([]);
      const results = resultsOf(run.stdout);
      const missed = candidates
        .filter(touches)
        .filter(({ name }) => !/exceeds .* ceiling/.test(results.get(name) ?? "nothing"));
      expect(missed.map(({ name }) => `${name}: ${results.get(name)}`)).toEqual([]);
    }
  });

  it("that reaches a host is under the rules of the environment", async () => {
    const wire = tripwire();
    const env = new Map([["HARN_EGRESS_ALLOW", "allowed.test"]]);
    const host = new Proxy(wire.host, {
      get: (target, name) => (name === "env" ? env : (Reflect.get(target, name, target) as unknown)),
    });
    const reaching = candidates.filter((spec) => touches(spec) && groups(spec).includes("net"));
    expect(reaching.length).toBeGreaterThan(15);
    for (const spec of reaching) {
      const run = await runScript(attempts([spec]), { runtime: { host } });
      expect(run.error).toBe("");
    }
    expect(wire.touched.filter((one) => /^(?:request|open|connect) \{|^mcp http/.test(one))).toEqual([]);
  });

  it("that takes files stays under the roots of --allow", async () => {
    const wire = tripwire({ "/elsewhere/x": "secret", "/work/in/a": "inside" });
    const lists = Capabilities.of({ allow: ["fs=/work/in", "net", "process"] }, builtinTable(), "/work");
    const run = await runScript(attempts(candidates.filter(touches)), {
      runtime: { host: restrictHost(wire.host, lists), builtins: builtinTable() },
    });
    expect(run.error).toBe("");
    expect(
      wire.touched.filter((one) => isFile(one) && !/ \/work\/in(?:\/|$)/.test(one) && !isOwnLooking(one)),
    ).toEqual([]);
    expect(run.stdout).not.toContain("secret\n");
  });

  it("that takes files stays under the workspace roots of a loop", async () => {
    const wire = tripwire({ "/elsewhere/x": "secret", "/work/in/a": "inside" });
    const run = await runScript(inTool(attempts(candidates.filter(touches)), '{workspace_roots: ["in"]}'), {
      runtime: { host: wire.host },
    });
    expect(run.error).toBe("");
    expect(
      wire.touched.filter((one) => isFile(one) && !/ \/work\/in(?:\/|$)/.test(one) && !isOwnLooking(one)),
    ).toEqual([]);
  });
});

const denials = [...capabilityGroups, "nothing"] as const;
type Denial = (typeof denials)[number];

/** What the environment of the machine alone holds. */
const canary = "canary-7d1f";

/** What is touched of the machine, by the class that it needs. */
function classOf(touch: string): Denial {
  if (touch.startsWith("effect model")) return "model";
  if (/^effect human|^ask/.test(touch)) return "people";
  if (/^mcp stdio|^(?:run|open) (?!\{)/.test(touch)) return "process";
  if (/^mcp |^(?:request|open|connect|listen) \{/.test(touch)) return "net";
  const changes = /^(?:write|append|remove|rename|copy|make|chmod|link|symlink|truncate|create|touch)/;
  return changes.test(touch) ? "fs.write" : "fs.read";
}

/** What stands in standard input was put there by whoever started the run: that is no question to a person. */
const standardInput = new Set(["read_line", "read_stdin"]);

/** Effects that happen, with those of models and people noted: they are one class wherever they come from. */
function noting(touched: string[]): Effects {
  const effects = liveEffects();
  const perform: Effects["perform"] = (scope, call, inFlight) => {
    if (call.effect === "model" || call.effect === "human")
      touched.push(`effect ${call.effect} ${call.kind}`);
    return effects.perform(scope, call, inFlight);
  };
  return new Proxy(effects, {
    get: (target, name) => {
      if (name === "perform") return perform;
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
    set: (target, name, value) => Reflect.set(target, name, value, target),
  });
}

/** All that have an effect or say that they need something. */
const effectful = [...builtinTable().values()].filter(
  (spec) =>
    !needsHandle.has(spec.name) &&
    !standardInput.has(spec.name) &&
    (spec.effect !== "pure" || spec.capability !== undefined),
);

/** Calls them one after another; one that ends or holds up the program is left behind, and the rest goes on. */
async function walk(denied: Denial, open: boolean): Promise<{ touched: Set<string>; said: string }> {
  const touched = new Set<string>();
  let said = "";
  for (let left = effectful; left.length > 0; ) {
    const wire = tripwire(
      { "/elsewhere/x": "secret" },
      {
        env: { x: canary },
        tty: ["stdin"],
        stdin: "yes\n".repeat(50),
      },
    );
    const deny = denied === "nothing" ? [] : [denied];
    const lists = Capabilities.of({ deny }, builtinTable(), "/work");
    const builtins = open ? builtinTable() : restrictTable(builtinTable(), lists);
    const { stdout } = await runScript(attempts(left), {
      runtime: { host: restrictHost(wire.host, lists), builtins, effects: noting(wire.touched) },
    });
    for (const one of wire.touched) if (!isOwnLooking(one)) touched.add(one);
    said += stdout;
    const results = resultsOf(stdout);
    const ended = left.findIndex(({ name }) => !results.has(name));
    left = ended < 0 ? [] : left.slice(ended + 1);
  }
  return { touched, said };
}

describe("with one class denied and all others allowed", () => {
  it("the walk would find each", async () => {
    const { touched, said } = await walk("nothing", true);
    expect(new Set([...touched].map(classOf))).toEqual(
      new Set(capabilityGroups.filter((group) => group !== "env")),
    );
    expect(said).toContain(canary);
    // All were called, not only those before the first that ends a program.
    expect(effectful.filter(({ name }) => !said.includes(`${name}\t`)).length).toBeLessThan(12);
  });

  it.each(capabilityGroups)(
    "no builtin does what needs %s",
    async (denied) => {
      const { touched, said } = await walk(denied, false);
      expect([...touched].filter((one) => classOf(one) === denied)).toEqual([]);
      if (denied === "env") expect(said).not.toContain(canary);
    },
    120_000,
  );

  // A model, a person and the environment have no port of their own: the table and `admit` are their gate.
  it.each(["fs.read", "fs.write", "net", "process"] as const)(
    "the machine itself refuses %s",
    async (denied) => {
      const { touched } = await walk(denied, true);
      expect([...touched].filter((one) => classOf(one) === denied)).toEqual([]);
    },
    120_000,
  );
});

const isFile = (touch: string): boolean => !/^(?:run|open|request|connect|listen|mcp) /.test(touch);
/** The runtime finds its own project and configuration; it hands nothing of that to scripts. */
const isOwnLooking = (touch: string): boolean =>
  /^stat (?:\/|\/\S*\/)(?:harn\.toml|providers\.toml|\.git|\.harn\/packages)$/.test(touch);
