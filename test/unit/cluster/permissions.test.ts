/** What a worker may do is what its own flags allow: which runs ask for more, and in which words they are told. */
import { mkdirSync, symlinkSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { builtinTable, Capabilities, restrictHost } from "../../../src/builtins/index.ts";
import { JobFailed } from "../../../src/cluster/index.ts";
import {
  absolutePermissions,
  type PermissionFlags,
  permittedFlags,
  permittedHost,
  refusedPermissions,
} from "../../../src/cluster/permissions.ts";
import { createNodeHost, HostError } from "../../../src/host/index.ts";
import { inProcess } from "../../../src/process/index.ts";
import { madeProcess } from "../../../src/process/made-process.ts";
import type { Json } from "../../../src/values/index.ts";
import { headerOf } from "../../support/cluster-journals.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder("permissions");
beforeAll(() => {
  for (const name of ["in", "in/deep", "other"]) mkdirSync(join(folder, name));
  symlinkSync(join(folder, "other"), join(folder, "in", "out"));
});

/** The machine of the worker, which was started in the folder. */
const onWorker = <T>(work: (host: ReturnType<typeof createNodeHost>) => T): T => {
  const unused = (): void => {};
  const exit = (): Error => new Error("nothing ends");
  return inProcess(madeProcess({ cwd: folder, env: {}, stdout: unused, stderr: unused, exit }), () =>
    work(createNodeHost()),
  );
};

const beyond = (worker: PermissionFlags, run: PermissionFlags): string | undefined =>
  onWorker(
    (host) =>
      /this worker may do: (.*)\n/.exec(
        refusedPermissions(absolutePermissions(worker, host), run, host, folder) ?? "",
      )?.[1],
  );

describe("a worker takes a run", () => {
  it.each<[PermissionFlags, PermissionFlags]>([
    [{}, {}],
    [{}, { allow: "all" }],
    [{ deny: "process" }, { deny: "process,net" }],
    [{ deny: "process" }, { allow: "fs,net" }],
    [{ allow: "fs.read,net" }, { allow: "net" }],
    [{ allow: "fs.read,net" }, { allow: "none" }],
    [{ allow: "all" }, {}],
    [{ deny: "fs.write=in/deep" }, { deny: "fs.write=in" }],
    [{ deny: "fs.write=in/deep" }, { allow: "fs.write=other" }],
    [{ allow: "fs=in" }, { allow: "fs.read=in/deep" }],
    [{ deny: "http_get" }, { deny: "net" }],
    [{ deny: "http_get" }, { deny: "http_get" }],
  ])("%j: %j", (worker, run) => expect(beyond(worker, run)).toBeUndefined());
});

describe("a run asks for more than a worker may do", () => {
  it.each<[PermissionFlags, PermissionFlags, string]>([
    [{ deny: "process" }, {}, "process"],
    [{ deny: "process" }, { allow: "all" }, "process"],
    [{ allow: "fs.read" }, {}, "fs.write"],
    [{ allow: "fs.read" }, { allow: "fs.read,net" }, "net"],
    [{ allow: "fs.read=in" }, { allow: "fs.read" }, "fs.read"],
    [{ allow: "fs.read=in" }, { allow: "fs.read=other" }, "fs.read=FOLDER/other"],
    [{ allow: "fs.read=in" }, { allow: "fs.read=in/../other" }, "fs.read=FOLDER/other"],
    // What leads out of a folder is not in it.
    [{ allow: "fs.read=in" }, { allow: "fs.read=in/out" }, "fs.read=FOLDER/other"],
    [{ deny: "fs.write=in/deep" }, {}, "fs.write=FOLDER/in/deep"],
    [{ deny: "fs.write=in/deep" }, { allow: "fs.write=in" }, "fs.write=FOLDER/in/deep"],
    [{ deny: "fs.write=in" }, { deny: "fs.write=in/deep" }, "fs.write=FOLDER/in"],
    [{ deny: "http_get" }, {}, "http_get"],
    [{ allow: "http_get" }, { allow: "net" }, "net"],
    [{ allow: "http_get" }, { allow: "http_get,http_post" }, "http_post"],
    [{ deny: "read_file" }, { allow: "read_file" }, "read_file"],
  ])("%j: %j", (worker, run, what) => expect(beyond(worker, run)?.replaceAll(folder, "FOLDER")).toBe(what));
});

it("says what to begin the run with", () => {
  const words = onWorker((host) =>
    refusedPermissions(
      absolutePermissions({ allow: "fs.read=in,model", deny: "env" }, host),
      {},
      host,
      folder,
    ),
  );
  expect(words).toBe(
    `the run asks for more than this worker may do: fs.write\n  begin it with --allow fs.read=${folder}/in,model --deny env, or with less`,
  );
});

it("the worker's own models answer where a job names none", () => {
  const lent = { permissions: {}, models: { provider: "mock", llmMock: "all.jsonl" }, cwd: folder };
  const flags = (options: Json, given = {}): object =>
    onWorker(() => permittedFlags(headerOf("r", folder, { options }), given, lent));
  const owner = lent.models;
  expect(flags({}, { maxSteps: 9 })).toEqual({ ...owner, maxSteps: 9, owner });
  // As it was begun, and as it is handed over now.
  expect(flags({ model: "m" })).toEqual({ owner });
  expect(flags({}, { provider: "openai" })).toEqual({ provider: "openai", owner });
});

it("a run that asks for more is refused with its words", () => {
  const lent = { permissions: { deny: "process" }, models: {}, cwd: folder };
  const run = (options: Json): unknown =>
    onWorker(() => permittedFlags(headerOf("r", folder, { options }), {}, lent));
  expect(() => run({})).toThrow(JobFailed);
  expect(run({ allow: null, deny: ["process"] })).toEqual({ owner: {} });
});

it("flags of a run name no file that the worker does not let it read", () => {
  const denied = { permissions: { deny: `fs.read=${join(folder, "in")}` }, models: {}, cwd: folder };
  const run = (flags: object): unknown => {
    const options = { allow: null, deny: [`fs.read=${join(folder, "in")}`] };
    return onWorker(() => permittedFlags(headerOf("r", folder, { options }), flags, denied));
  };
  for (const flags of [{ llmMock: "in/x.jsonl" }, { tape: "in/x" }, { skillDir: "skills,in/skills" }])
    expect(() => run(flags), JSON.stringify(flags)).toThrow("does not read what the run's flags name: '");
  expect(run({ llmMock: "x.jsonl" })).toMatchObject({ llmMock: "x.jsonl" });
});

it.each<[PermissionFlags]>([[{}], [{ allow: "fs" }]])(
  "what is not there is told with the machine on which it was looked for, but in the job's own folder: %j",
  (flags) => {
    const looked = onWorker((host) => {
      const { files } = permittedHost(flags, host, join(folder, "in"));
      // Rules of the run are put around it.
      return [files, restrictHost(permittedHost(flags, host, join(folder, "in")), anything).files].flatMap(
        (of) => ["none.txt", "in/none.txt"].map((path) => failureOf(() => of.readText(join(folder, path)))),
      );
    });
    const there = "no such file or folder";
    const words = `${there} on the worker ${hostname()}: files do not travel to workers, share the folder`;
    expect(looked).toEqual([words, there, words, there].map((message) => new HostError("ENOENT", message)));
  },
);

const anything = Capabilities.of({}, builtinTable(), folder);

function failureOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

it("a flag that names neither builtin nor capability is refused with the worker's start", () => {
  expect(() => onWorker((host) => absolutePermissions({ deny: "proces" }, host))).toThrow(
    "--deny: 'proces' is neither a builtin nor a capability",
  );
});
