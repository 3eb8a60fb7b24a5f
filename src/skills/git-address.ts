/**
 * `[[skill.source]]` with `type = "git"`: which repository, which state of it, which folder in it. What git itself would take
 * for more than an address (`ext::…`, options, the address of a helper program) is refused here, before git sees it.
 */
import { type Json, redactUrl } from "../effects/index.ts";
import { fullPath } from "../model/index.ts";

export interface GitSource {
  /** As git gets it. */
  readonly url: string;
  /** For people and records: without a login. */
  readonly shown: string;
  /** How the rules of a run see it: a URL with scheme and host, or a folder of this machine. */
  readonly place:
    | { readonly kind: "network"; readonly scheme: string; readonly url: string }
    | { readonly kind: "folder"; readonly path: string };
  readonly ref: GitRef;
  /** The folder in the repository; empty for its root. */
  readonly folder: string;
  readonly namespace: string | null;
}

/** `rev` is one commit for ever, `tag` is asked for once, `branch` and what the repository shows by itself with each run. */
export interface GitRef {
  readonly kind: "rev" | "tag" | "branch" | "default";
  readonly name: string;
}

/** What is wrong with an entry, after its place: `needs a \`url\``. */
export class BadGitSource extends Error {}

/** Reads an entry; paths are meant from `root`. Throws a `BadGitSource`. */
export function gitSourceOf(table: { readonly [key: string]: Json }, root: string): GitSource {
  const { url, namespace, path } = table;
  if (typeof url !== "string" || url.trim() === "") throw new BadGitSource("needs a `url`");
  if (namespace !== undefined && (typeof namespace !== "string" || namespace === ""))
    throw new BadGitSource("`namespace` is no text");
  const { place, address } = placeOf(url, root);
  return {
    url: address,
    shown: redactUrl(address),
    place,
    ref: refOf(table),
    folder: folderIn(path),
    namespace: namespace ?? null,
  };
}

const scheme = /^([a-z][a-z0-9+.-]*):\/\//i;
/** `user@host:path`, as ssh has it. */
const scp = /^(?:([\w.-]+)@)?([\w][\w.-]*):(?!\/\/|:)(.+)$/;
const control = /\p{Cc}|\s/u;
const taken = "https://, http://, ssh://, user@host:path, file:// and paths";

function placeOf(url: string, root: string): { place: GitSource["place"]; address: string } {
  const bad = (why: string): BadGitSource => new BadGitSource(`\`url\` ${JSON.stringify(url)} ${why}`);
  if (control.test(url)) throw bad("has a blank or a control character");
  if (url.startsWith("-")) throw bad("looks like an option");
  if (/^[\w+.-]+::/.test(url)) throw bad(`names a program; taken are ${taken}`);
  const protocol = scheme.exec(url)?.[1]?.toLowerCase();
  if (protocol === "file") return local(fileOf(url, bad));
  if (protocol === "https" || protocol === "http" || protocol === "ssh") {
    const host = URL.canParse(url) ? new URL(url).hostname : "";
    if (host === "" || host.startsWith("-")) throw bad("is no address");
    return { place: { kind: "network", scheme: protocol, url }, address: url };
  }
  if (protocol !== undefined) throw bad(`is of a kind that is not taken; taken are ${taken}`);
  if (/^[./]/.test(url)) return local(fullPath(url, root));
  const [, user, host, path] = scp.exec(url) ?? [];
  if (host === undefined || path === undefined || path.startsWith("-"))
    throw bad(`is no address; taken are ${taken} (a path begins with / or ./)`);
  const shown = `ssh://${user === undefined ? "" : `${user}@`}${host}/${path.replace(/^\/+/, "")}`;
  return { place: { kind: "network", scheme: "ssh", url: shown }, address: url };
}

function fileOf(url: string, bad: (why: string) => BadGitSource): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || parsed.hostname !== "" || parsed.pathname === "/")
    throw bad("names no folder of this machine");
  try {
    return decodeURIComponent(parsed.pathname);
  } catch {
    throw bad("has a `%` that is followed by no byte of a text: write it as %25");
  }
}

const local = (path: string): { place: GitSource["place"]; address: string } => ({
  place: { kind: "folder", path },
  address: `file://${path}`,
});

const commit = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** Names that git takes for branches and tags, without what it gives a meaning. */
const refName = /^(?![-/.])(?!.*(?:\.\.|\/\/|@\{|\.lock(?:\/|$)|[/.]$))[^\s\p{Cc}~^:?*[\]\\]+$/u;

function refOf(table: { readonly [key: string]: Json }): GitRef {
  const kinds = (["rev", "tag", "branch"] as const).filter((kind) => table[kind] !== undefined);
  if (kinds.length > 1)
    throw new BadGitSource(`takes one of \`rev\`, \`tag\` and \`branch\`, not ${kinds.join(" and ")}`);
  const [kind] = kinds;
  if (kind === undefined) return { kind: "default", name: "HEAD" };
  const name = table[kind];
  if (typeof name !== "string") throw new BadGitSource(`\`${kind}\` is no text`);
  if (kind === "rev" && !commit.test(name))
    throw new BadGitSource("`rev` is no whole id of a commit (40 digits); for a name use `tag` or `branch`");
  if (!refName.test(name))
    throw new BadGitSource(`\`${kind}\` ${JSON.stringify(name)} is no name of a ${kind}`);
  return { kind, name };
}

function folderIn(path: Json | undefined): string {
  if (path === undefined) return "";
  if (typeof path !== "string") throw new BadGitSource("`path` is no text");
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (path.startsWith("/") || /\p{Cc}|\\/u.test(path) || parts.includes(".."))
    throw new BadGitSource("`path` is no folder in the repository");
  return parts.join("/");
}
