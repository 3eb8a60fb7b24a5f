/** Files that one run writes and another one reads: workers, daemons, loops, run records, stores, checkpoints. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../support/project.ts";
import { damageJson, jsonText } from "../damage.ts";
import type { Fuzzer } from "../fuzzer.ts";
import { bytesOf, harnHere, writeFiles } from "../in-folder.ts";

const base = join(projectRoot, "test/fuzz/base/snapshots");

/** What reads each file. */
const readers: Readonly<Record<string, string>> = {
  "worker.json": `
llm_mock({text: "done"})
shown({ -> deadline 2s { wait_agent(resume_agent("worker.json", "go on")) } })
shown({ -> resume_agent(json_parse(read_file("worker.json"))) })
shown({ -> list_agents() })`,
  "loop.json": `
shown({ -> agent_loop("Two.", nil, {provider: "mock", daemon: true, resume_path: "loop.json", persist_path: "next.json"}) })
shown({ -> json_parse(read_file("next.json")).keys() })`,
  "daemon/daemon.json": daemonReader(),
  "daemon/daemon.meta.json": daemonReader(),
  "record.json": `
shown({ -> run_record_load("record.json") })
shown({ -> load_run_tree("record.json") })
let r = try { run_record_load("record.json") }
shown({ -> run_record_fixture(unwrap(r)) })
shown({ -> run_record_eval(unwrap(r)) })
shown({ -> run_record_diff(unwrap(r), unwrap(r)) })
shown({ -> run_record_save(unwrap(r), "again.json") })
shown({ -> workflow_execute("Again.", {nodes: {a: {mode: "llm", prompt: "x"}}, entry: "a"}, [], {resume_path: "record.json", provider: "mock"}) })
shown({ -> transcript_stats(unwrap(r).transcript) })`,
  "store.json": `
shown({ -> store_get("k") })
shown({ -> store_list() })
shown({ -> store_set("k", 2) })
shown({ -> store_save() })`,
  "checkpoint.json": `
shown({ -> checkpoint_list() })
shown({ -> checkpoint_get("key") })
shown({ -> checkpoint("other", 1) })`,
};

function daemonReader(): string {
  return `
shown({ -> daemon_snapshot("daemon") })
let d = try { daemon_resume("daemon") }
shown({ -> daemon_snapshot(unwrap(d)) })
shown({ -> daemon_trigger(unwrap(d), {a: 1}) })
shown({ -> daemon_stop(unwrap(d)) })`;
}

const prelude = `
fn shown(f) { try { println(f()) } catch e { println("caught: \${e}") } }
`;

/** Where the program looks for a file. */
const places: Readonly<Record<string, string>> = {
  "store.json": ".harn/store.json",
  "checkpoint.json": ".harn/checkpoints/main.json",
};

/** With the digest that a worker's file should have: damage that it shows is told soon; this goes deeper. */
function sealed(value: Record<string, unknown>): string {
  if (!("digest" in value)) return jsonText(value);
  const { digest: _, ...rest } = value;
  const digest = `sha256:${createHash("sha256").update(jsonText(rest)).digest("hex")}`;
  return jsonText({ ...rest, digest });
}

export const snapshots: Fuzzer = {
  name: "snapshots",
  make: (dice) => {
    const file = dice.pick(Object.keys(readers));
    return { file, text: bytesOf(damageJson(dice, readFileSync(join(base, file), "utf8"), sealed)) };
  },
  run: async ({ file = "", text = "" }, folder) => {
    const files: Record<string, string> = { "main.harn": prelude + (readers[file] ?? "") };
    for (const name of ["daemon/daemon.json", "daemon/daemon.meta.json"])
      files[name] = readFileSync(join(base, name), "latin1");
    files[places[file] ?? file] = text;
    writeFiles(folder, files);
    await harnHere("run", join(folder, "main.harn"));
    if (file === "record.json") {
      await harnHere("eval", "record.json");
      await harnHere("trace", "record.json");
      await harnHere("runs", "inspect", "record.json");
    }
    return "";
  },
};
