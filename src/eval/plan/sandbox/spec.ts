/** Where the files and programs of a trial are: a folder of its own, or a container. What becomes an argument of a program is looked at here. */
import type { ContainerSpec } from "../../../host/containers/index.ts";
import { type At, inside, type Read, refusal, row, rows } from "../../../table/index.ts";
import { Dict, display, type Value } from "../../../values/index.ts";

const strict = { strict: true } as const;

/** A program takes what begins with `-` for an option of its own. */
const imageName = /^[A-Za-z0-9][\w.:/@-]*$/u;
const userName = /^[A-Za-z0-9_][\w.-]*(?::[A-Za-z0-9_][\w.-]*)?$/u;

const containerFields = rows(
  () => ({
    image: row
      .text("The image that it is started from.")
      .where("the name of an image, such as `python:3.13-slim`", (name) => imageName.test(name)),
    build: row
      .text("In its place: a folder with a Dockerfile that the image is built from.")
      .where(
        "the path of a folder with a Dockerfile",
        (path) => path !== "" && !path.startsWith("-") && !path.includes("\0"),
      ),
    workdir: row
      .text("The folder that the trial works in; the image's own, else `/workspace`.")
      .where("an absolute path below `/`, without `..`", isInnerPath)
      .to((path) => path.replace(/\/+$/u, "")),
    network: row.bool("Whether its programs reach a network.").usually("false"),
    cpus: row.number("Processors that it may use.").where("a number above 0", (cpus) => cpus > 0),
    memory_mb: row.int("Memory that it may use.", null, { min: 6 }),
    user: row
      .handle<string | number>(
        "string | int",
        "Who its programs run as: a name or a number, with `:GROUP` if wanted.",
      )
      .to(display)
      .where("a name or number, such as `1000` or `app:app`", (user) => userName.test(user)),
  }),
  strict,
);

export const containerRow = (doc = "") =>
  row.dict(containerFields, doc).to((read, place): ContainerSpec => {
    if (read.image !== null && read.build !== null)
      throw refusal(inside(place, "build"), "nothing beside `image`", read.build);
    return read;
  });

/** Not `/` itself, where the system of the container lies. */
const isInnerPath = (path: string): boolean =>
  /^\/+[^/]/u.test(path) &&
  !/[\0\n]/u.test(path) &&
  path.split("/").every((part) => part !== ".." && part !== ".");

export const sandboxFields = rows(
  () => ({
    files: row.dict(null, "Texts by path, or `{from: path}`.").to(sandboxFiles).or<SandboxFiles>({}),
    copy: row.text("A folder whose content it begins with."),
    keep: row.oneOf(["changed", "all", "none"], "What stays in the store.", "changed"),
    env: row
      .map(row.text(), "Variables of its programs.")
      .to((env): Readonly<Record<string, string>> => Object.fromEntries(env))
      .or<Readonly<Record<string, string>>>({}),
    container: containerRow("Its programs and files are in a container of docker or podman."),
  }),
  strict,
);

export interface SandboxSpec extends Omit<Read<typeof sandboxFields>, "container"> {
  /** Folder of the script: `copy`, `from`, `build` and what tests copy are relative to it. */
  readonly base: string;
  /** Absent: a folder of this machine. */
  readonly container?: ContainerSpec;
}

/** Path in the sandbox: its text, or the path of the file that it is copied from. */
export type SandboxFiles = Readonly<Record<string, string | { readonly from: string }>>;

/** Files by their path in a sandbox, of a task or of a sample: texts, or `{from: path}`. */
export function sandboxFiles(files: Dict, place: At): SandboxFiles {
  return Object.fromEntries(
    [...files.entries()].map(([path, content]): [string, SandboxFiles[string]] => {
      const own = inside(place, path);
      if (path === "" || /^(?:[\\/]|[A-Za-z]:)|(?:^|[\\/])\.\.(?:[\\/]|$)|\0/u.test(path))
        throw refusal(own, "a path inside of the sandbox", path);
      const from = content instanceof Dict && content.size === 1 ? content.get("from") : undefined;
      if (typeof content === "string") return [path, content];
      if (typeof from === "string") return [path, { from }];
      throw refusal(own, "a text or {from: path}", content);
    }),
  );
}

/** The files that a sample brings. */
export const sampleFiles = (value: Value | undefined, place: At): SandboxFiles =>
  value === undefined || value === null ? {} : sandboxFiles(row.dict(null).read(value, place), place);
