/** Reads `sandbox` of a task, and the files of a sample. What becomes an argument of a program is looked at here. */

import type { ContainerSpec } from "../../../host/containers/index.ts";
import { inputText } from "../../../table/index.ts";
import { Dict, textOf, type Value } from "../../../values/index.ts";
import { containerFields } from "../task-fields.ts";
import { TaskReader, wrongField } from "../task-reader.ts";
import type { SandboxFiles, SandboxSpec } from "./spec.ts";

/** `isPath`: the dataset is one, so its task folders may say which image it is. */
export function sandboxOf(at: TaskReader, base: string, isPath: boolean): SandboxSpec | null {
  const sandbox = at.value("sandbox");
  if (sandbox === null || sandbox === false) return null;
  const dict = sandbox instanceof Dict ? sandbox : new Dict();
  const env = dict.get("env");
  const copy = dict.get("copy") ?? null;
  const container = dict.get("container");
  return {
    base,
    files: sandboxFiles(at.task, dict.get("files") ?? null, "sandbox.files"),
    copy: copy === null ? null : textOf(copy),
    keep: (dict.get("keep") ?? "changed") as SandboxSpec["keep"],
    env:
      env instanceof Dict
        ? Object.fromEntries([...env.entries()].map(([key, value]) => [key, textOf(value)]))
        : {},
    ...(container instanceof Dict
      ? { container: readContainer(at.task, container, "sandbox.container.", !isPath) }
      : {}),
  };
}

/** A program takes what begins with `-` for an option of its own. */
const imageName = /^[A-Za-z0-9][\w.:/@-]*$/u;
const userName = /^[A-Za-z0-9_][\w.-]*(?::[A-Za-z0-9_][\w.-]*)?$/u;

/** `path` is where the dict stands. With `mustName` an image or what it is built from has to be said. */
export function readContainer(task: string, options: Dict, path: string, mustName: boolean): ContainerSpec {
  const at = new TaskReader(task, options, containerFields, path);
  const [image, build, workdir] = [at.text("image"), at.text("build"), at.text("workdir")];
  const [cpus, user] = [at.number("cpus"), at.seed("user")];
  if (image !== null && !imageName.test(image))
    throw at.wrong("image", "the name of an image, such as `python:3.13-slim`");
  if (build !== null && (build === "" || build.startsWith("-") || build.includes("\0")))
    throw at.wrong("build", "the path of a folder with a Dockerfile");
  if (image !== null && build !== null) throw at.wrong("build", "absent beside `image`");
  if (mustName && image === null && build === null)
    throw wrongField(task, path.slice(0, -1), "a dict with `image` or `build`", inputText(options));
  if (workdir !== null && !isInnerPath(workdir))
    throw at.wrong("workdir", "an absolute path below `/`, without `..`");
  if (cpus !== null && cpus <= 0) throw at.wrong("cpus", "a number above 0");
  if (user !== null && !userName.test(user))
    throw at.wrong("user", "a name or number, such as `1000` or `app:app`");
  return {
    image,
    build,
    workdir: workdir === null ? null : workdir.replace(/\/+$/u, ""),
    network: at.has("network") ? at.bool("network") : null,
    cpus,
    memoryMb: at.number("memory_mb"),
    user,
  };
}

/** Not `/` itself, where the system of the container lies. */
const isInnerPath = (path: string): boolean =>
  /^\/+[^/]/u.test(path) &&
  !/[\0\n]/u.test(path) &&
  path.split("/").every((part) => part !== ".." && part !== ".");

/** Files by their path in a sandbox, of a task or of a sample: texts, or `{from: path}`. */
export function sandboxFiles(task: string, value: Value, field: string): SandboxFiles {
  if (value === null) return {};
  if (!(value instanceof Dict))
    throw wrongField(task, field, "a dict of texts, or of `{from: path}`", inputText(value));
  return Object.fromEntries(
    [...value.entries()].map(([path, content]): [string, SandboxFiles[string]] => {
      if (path === "" || /^(?:[\\/]|[A-Za-z]:)|(?:^|[\\/])\.\.(?:[\\/]|$)|\0/u.test(path))
        throw wrongField(task, `${field}.${path}`, "under a path inside of the sandbox", inputText(content));
      const from = content instanceof Dict && content.size === 1 ? content.get("from") : undefined;
      if (typeof content === "string") return [path, content];
      if (typeof from === "string") return [path, { from }];
      throw wrongField(task, `${field}.${path}`, "a text or {from: path}", inputText(content));
    }),
  );
}
