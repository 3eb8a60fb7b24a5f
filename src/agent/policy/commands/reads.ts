/**
 * Whether a command only reads: then running it a second time is of no consequence, and a resume may do so without asking.
 * A list of programs that are known to change nothing; whatever is not on it, or can't be seen before it runs, may change
 * something.
 */

import { type FoundCommand, programName } from "./command-words.ts";
import type { JudgedCommand } from "./judged-command.ts";

type Reads = (args: readonly string[]) => boolean;

const alwaysReads: Reads = () => true;
const readsWithout =
  (...options: readonly string[]): Reads =>
  (args) =>
    !args.some((arg) => options.some((option) => isOption(arg, option)));

/** `--output=x` is `--output`, `-ox` and `-rox` may be `-o`. */
const isOption = (arg: string, option: string): boolean =>
  option.startsWith("--")
    ? arg === option || arg.startsWith(`${option}=`)
    : /^-[^-]/.test(arg) && arg.includes(option.slice(1));

const plain =
  "cat head tail wc ls dir stat file du df pwd cd echo printf whoami id groups uname arch nproc uptime free ps pgrep which " +
  "basename dirname realpath readlink cmp comm diff cut tr nl tac rev fold fmt paste join grep egrep fgrep zcat zgrep jq " +
  "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum base64 od hexdump strings true false test [ " +
  "sleep seq expr printenv lsof less more column";

/** Programs that start another one and do nothing besides: the other one is judged. */
const transparent: ReadonlyMap<string, Reads> = new Map<string, Reads>([
  ...["env", "nice", "timeout", "time", "stdbuf", "command"].map((name): [string, Reads] => [
    name,
    alwaysReads,
  ]),
  ...["sh", "bash", "dash", "zsh", "ksh"].map((name): [string, Reads] => [
    name,
    (args) => args.length === 2 && args[0] === "-c",
  ]),
]);

const gitReads = new Set(
  "status log show diff blame shortlog describe rev-parse rev-list ls-files ls-tree cat-file merge-base grep".split(
    " ",
  ),
);

const readers: ReadonlyMap<string, Reads> = new Map<string, Reads>([
  ...plain.split(" ").map((name): [string, Reads] => [name, alwaysReads]),
  ["sort", readsWithout("-o", "--output", "--compress-program")],
  ["tree", readsWithout("-o")],
  ["date", readsWithout("-s", "--set")],
  ["rg", readsWithout("--pre", "--hostname-bin")],
  ["hostname", (args) => args.length === 0],
  ["uniq", (args) => args.filter((arg) => !arg.startsWith("-")).length <= 1],
  ["sed", (args) => args[0] === "-n" && /^\d+(?:,\d+)?p$/.test(args[1] ?? "") && !args.some(isInPlace)],
  ["find", (args) => !args.some((arg) => /^-(?:delete|exec|ok|fprint|fls)/.test(arg))],
  ["git", ([name = "", ...args]) => gitReads.has(name) && readsWithout("--output", "--ext-diff", "-O")(args)],
]);

const isInPlace = (arg: string): boolean => /^(?:-[^-]*i|--in-place)/.test(arg);

/** Writes nothing: errors thrown away, or joined with the output. */
const harmlessTargets = /[012&]?>\s*(?:\/dev\/null|&[12])/g;

/** Whether everything that a command would run is known to change nothing. */
export function readsOnly({ line, commands }: JudgedCommand): boolean {
  if (commands.length === 0 || line.replaceAll(harmlessTargets, "").includes(">")) return false;
  return commands.every(isReader);
}

function isReader({ words: [program = "", ...args], unknown }: FoundCommand): boolean {
  if (unknown) return false;
  const name = programName(program);
  // What lies elsewhere may be anything by that name.
  if (program !== name && !/^\/(?:usr\/)?s?bin\/[^/]+$/.test(program)) return false;
  return (readers.get(name) ?? transparent.get(name))?.(args) === true;
}
