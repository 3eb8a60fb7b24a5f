/**
 * Files that Harn keeps for a run: state, snapshots, logs, transcripts. Secrets are stored by name in them, as in a journal, and
 * nobody but their owner can read them (0600). Every place that writes such a file goes through here.
 *
 * Names become secrets again only in a file that is closed to others, as these are: one that came with a repository is not, and
 * is read as the text it is.
 */
import type { Files } from "../host/ports.ts";
import { utf8Text } from "../values/index.ts";
import type { Runtime } from "./runtime.ts";

const ownerOnly = 0o600;
const ownerOnlyFolder = 0o700;

/** Throws where a link of the project leads away from what is the runtime's own: it could lead to files of its user. */
export function mustBeOwnPlace({ host }: Runtime, path: string): void {
  (host.own ?? host).checkOwnPlace?.(path);
}

/** The files of the host with secrets kept out. JSON is recognised by the name of a file. */
export function keptFiles(runtime: Runtime): Files {
  const { files } = runtime.host;
  const hidden = (data: string | Uint8Array): string | Uint8Array =>
    typeof data === "string" ? runtime.secrets.hide(data) : data;
  const own = (path: string): string => {
    mustBeOwnPlace(runtime, path);
    return path;
  };
  const readText = (path: string): string => keptText(runtime, files, path).reveal(files.readText(own(path)));
  return {
    readText,
    readBytes: (path) => {
      const bytes = files.readBytes(own(path));
      const text = utf8Text(bytes);
      return text === undefined
        ? bytes
        : new TextEncoder().encode(keptText(runtime, files, path).reveal(text));
    },
    readInto: (path, offset, buffer) => files.readInto(own(path), offset, buffer),
    write: (path, data) => files.write(own(path), hidden(data), ownerOnly),
    append: (path, data) => files.append(own(path), hidden(data), ownerOnly),
    stat: (path, options) => files.stat(path, options),
    list: (path) => files.list(own(path)),
    makeDir: (path) => files.makeDir(own(path), ownerOnlyFolder),
    remove: (path) => files.remove(own(path)),
    copy: (from, to) => files.copy(own(from), own(to)),
    rename: (from, to) => files.rename(own(from), own(to)),
    makeTempDir: (prefix) => files.makeTempDir(prefix),
    realPath: (path) => files.realPath(path),
  };
}

/** The same for texts that are kept in a file in another way, such as in a table. */
export function keptText(
  runtime: Runtime,
  files: Files,
  path: string,
): { hide(text: string): string; reveal(text: string): string } {
  const json = !/\.(md|txt)$/.test(path);
  return {
    hide: (text) => runtime.secrets.hide(text),
    reveal: (text) => {
      if (!text.includes("{{secret")) return text;
      const mode = files.stat(path)?.mode;
      if (mode === undefined || (mode & 0o077) !== 0) return text;
      return json ? runtime.secrets.revealInJson(text) : runtime.secrets.reveal(text);
    },
  };
}
