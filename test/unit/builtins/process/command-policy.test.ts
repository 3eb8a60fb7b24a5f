import { describe, expect, it } from "vitest";
import { createMemoryHost, ScriptedProcesses } from "../../../support/memory-host.ts";
import { runScript } from "../../../support/run-script.ts";

describe("a command policy", () => {
  it("rewrites before, annotates after, and leaves the rest alone", async () => {
    const processes = new ScriptedProcesses((program, args) => ({ stdout: `${program} ${args.join(" ")}` }));
    const text = `command_policy_push(command_policy({
  deny_patterns: ["rm *"],
  pre: { ctx -> ctx.command_line == "ls" ? {rewrite: {argv: ["ls", "--safe"]}} : nil },
  post: { ctx -> {annotations: [ctx.result.stdout, ctx.risk_labels]} },
}))
let a = host_call("process.exec", {command: "ls", mode: "argv", argv: ["ls"]})
println([a.status, a.stdout, a.command_policy.annotation.annotations, a.command_policy.decisions.count])
let b = host_call("process.exec", {argv: ["curl", "x"]})
println([b.stdout, b.command_policy.annotation.annotations])
println(host_call("process.exec", {argv: ["rm", "x"]}).status)
command_policy_pop()
println(host_call("process.exec", {argv: ["rm", "x"]}).stdout)`;
    const run = await runScript(text, { runtime: { host: createMemoryHost({ processes }) } });
    expect(run.error).toBe("");
    expect(run.stdout).toBe(
      "[completed, ls --safe, [ls --safe, []], 1]\n[curl x, [curl x, [network_access]]]\nblocked\nrm x\n",
    );
    expect(processes.calls.map(({ program }) => program)).toEqual(["ls", "curl", "rm"]);
  });

  it("lets a hook run commands when it says so", async () => {
    const processes = new ScriptedProcesses((program) => ({ stdout: program }));
    const text = `command_policy_push(command_policy({allow_recursive: true, pre: { _ ->
  {action: "deny", reason: host_call("process.exec", {argv: ["whoami"]}).stdout}
}}))
println(host_call("process.exec", {argv: ["ls"]}).stderr)`;
    const run = await runScript(text, { runtime: { host: createMemoryHost({ processes }) } });
    expect([run.error, run.stdout]).toEqual(["", "whoami\n"]);
  });
});
