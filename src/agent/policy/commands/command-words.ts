/**
 * What a command would really run: programs that only start others are taken off (`env`, `nice`, `timeout`, `sudo`, `xargs`,
 * `find -exec` …), lines handed to shells are taken apart (`sh -c`), code handed to interpreters is searched for commands
 * (`python -c`, `node -e`). Rules about commands judge all that is found, so that a rule for `rm` holds however `rm` is
 * reached. What a script file or a program does inside cannot be seen here; docs/security.md says so.
 */
import { type ShellCommand, type ShellWord, shellCommands } from "./shell-words.ts";

/** A command that would run. */
export interface FoundCommand {
  readonly words: readonly string[];
  /** Its program, or what is handed to it, is known only when it runs. */
  readonly unknown: boolean;
  /** It is code for an interpreter, of which only texts and calls are looked at. */
  readonly isCode?: boolean;
}

/** A command as it is asked for: words of a program, or a line for a shell. */
export type CommandInput =
  | { readonly kind: "argv"; readonly words: readonly string[]; readonly stdin?: string | undefined }
  | { readonly kind: "line"; readonly line: string; readonly stdin?: string | undefined };

const maxCommands = 1000;
const maxDepth = 12;

/** All commands in what is asked for, the asked one first. */
export function commandsIn(asked: CommandInput): FoundCommand[] {
  const finder = new CommandFinder();
  if (asked.kind === "line") finder.line(asked.line, 0);
  else finder.words(asked.words.map(known), asked.stdin !== undefined, 0, asked.stdin);
  return finder.found;
}

const known = (text: string): ShellWord => ({ text, unknown: false });
export const programName = (word: string): string =>
  word.slice(Math.max(word.lastIndexOf("/"), word.lastIndexOf("\\")) + 1);

const shells = new Set([
  "sh",
  "bash",
  "dash",
  "zsh",
  "ksh",
  "mksh",
  "ash",
  "fish",
  "csh",
  "tcsh",
  "rbash",
  "yash",
  "posh",
  "oksh",
  "nu",
  "xonsh",
  "elvish",
]);
const keywords = new Set([
  "if",
  "then",
  "else",
  "elif",
  "do",
  "while",
  "until",
  "!",
  "{",
  "}",
  "time",
  "fi",
  "done",
  "esac",
  "coproc",
  "function",
]);

/** Options of a starter that take a word of their own, and how many words follow before the command. */
interface Starter {
  readonly withValue: ReadonlySet<string>;
  readonly operands: number;
  readonly assignments?: boolean;
}
const starter = (withValue = "", operands = 0, assignments = false): Starter => ({
  withValue: new Set(withValue.split(" ").filter((one) => one !== "")),
  operands,
  assignments,
});
const starters: ReadonlyMap<string, Starter> = new Map([
  ["env", starter("-u --unset -C --chdir", 0, true)],
  ["nice", starter("-n --adjustment")],
  ["ionice", starter("-c -n -p --class --classdata")],
  ["chrt", starter("-T -P -D", 1)],
  ["taskset", starter("", 1)],
  ["timeout", starter("-s --signal -k --kill-after", 1)],
  ["gtimeout", starter("-s --signal -k --kill-after", 1)],
  [
    "sudo",
    starter("-u -g -h -p -C -D -R -T -U -r -t --user --group --host --prompt --chdir --chroot", 0, true),
  ],
  ["doas", starter("-u -C")],
  ["pkexec", starter("--user")],
  ["nohup", starter()],
  ["setsid", starter()],
  ["stdbuf", starter("-i -o -e --input --output --error")],
  ["unbuffer", starter()],
  ["time", starter("-f -o --format --output")],
  ["command", starter()],
  ["builtin", starter()],
  ["exec", starter("-a")],
  ["busybox", starter()],
  ["toybox", starter()],
  [
    "xargs",
    starter(
      "-I -i -L -l -n -P -s -d -E -e -a --max-args --max-procs --replace --delimiter --arg-file --max-lines --max-chars --eof",
    ),
  ],
  ["parallel", starter("-j --jobs -a --arg-file --delimiter -d -n -N")],
  ["watch", starter("-n --interval")],
  ["strace", starter("-e -o -p -s -u -E -P")],
  ["ltrace", starter("-e -o -p -s -u")],
  ["chroot", starter("--userspec --groups", 1)],
  ["unshare", starter("-S -G --setuid --setgid --root --wd")],
  ["nsenter", starter("-t -S -G --target")],
  ["flock", starter("-w -E --timeout --conflict-exit-code", 1)],
  ["runuser", starter("-u -g -G --user --group")],
  ["setpriv", starter("--reuid --regid --groups")],
  ["systemd-run", starter("-p --property --unit --uid --gid -E --setenv -M --slice")],
  ["dbus-run-session", starter()],
  ["cgexec", starter("-g")],
  ["prlimit", starter("-p --pid")],
  ["caffeinate", starter("-t -w")],
  ["ssh", starter("-b -c -D -E -e -F -I -i -J -L -l -m -o -p -Q -R -S -W -w", 1)],
  ["script", starter("-c --command")],
  ["entr", starter()],
  ["fakeroot", starter("-l -s -i -b")],
  ["faketime", starter("-f", 1)],
  ["firejail", starter()],
  ["linux32", starter()],
  ["linux64", starter()],
  ["numactl", starter("-C -N -m -p -i")],
  ["proxychains", starter("-f")],
  ["proxychains4", starter("-f")],
  ["rlwrap", starter("-f -H -l -b -p")],
  ["setarch", starter("", 1)],
  ["torsocks", starter()],
  ["valgrind", starter()],
]);

/** Interpreters and the options whose value is code. */
const interpreters: readonly (readonly [RegExp, RegExp])[] = [
  [/^python(?:\d+(?:\.\d+)*)?$|^pypy\d*$/, /^-[A-Za-z]*c$/],
  [/^(?:node|nodejs|bun|deno)$/, /^(?:-[a-z]*[ep]|--eval|--print|eval)$/],
  [/^perl(?:\d[\d.]*)?$/, /^-[A-Za-z]*[eE]$/],
  [/^ruby(?:\d[\d.]*)?$/, /^-[A-Za-z]*e$/],
  [/^php(?:\d[\d.]*)?$/, /^-[A-Za-z]*[rRBE]$/],
  [/^(?:lua|luajit)[\d.]*$/, /^-e$/],
  [/^(?:Rscript|R)$/, /^-e$/],
  [/^osascript$/, /^-e$/],
  [/^(?:pwsh|powershell)(?:\.exe)?$/i, /^-(?:c|command|encodedcommand|e|ec)$/i],
];

/** What is replaced by a line of input: `-I X`, and `{}` in any case. */
function wordPlaceholders(options: readonly ShellWord[]): string[] {
  const found = options.flatMap(({ text }, index) => {
    if (text === "-I" || text === "--replace") return [options[index + 1]?.text ?? ""];
    const attached = /^(?:-I|--replace=)(.+)$/s.exec(text)?.[1];
    return attached === undefined ? [] : [attached];
  });
  return ["{}", ...found.filter((one) => one !== "")];
}

const awks = /^(?:[gmn]?awk|busybox-awk)$/;

/** The program of `awk`: the first word that is no option. */
function codeOfAwk(args: readonly ShellWord[]): string {
  for (let at = 0; at < args.length; at++) {
    const { text } = args[at] as ShellWord;
    if (text === "-F" || text === "-v" || text === "-f") at += 1;
    else if (!text.startsWith("-")) return text;
  }
  return "";
}

/** Builtins of shells that evaluate names and numbers. */
const arithmetic = new Set([
  "let",
  "test",
  "[",
  "[[",
  "declare",
  "typeset",
  "local",
  "export",
  "readonly",
  "unset",
  "printf",
  "read",
]);

const standardInput = /^\/(?:dev\/(?:stdin|fd\/\d+)|proc\/self\/fd\/\d+)$/;

/** Calls by which code in any of these languages starts a program, or runs text as code. */
const starts =
  /\b(?:system|shell_exec|passthru|proc_open|popen\w*|spawn\w*|exec(?!ut)\w*|fork|check_output|check_call|getoutput|eval|__import__|Invoke-Expression|iex|Start-Process)\b|\bsubprocess\s*\.|\bfrom\s+subprocess\b|(?<![.\w])compile\b/i;
/** The same with nothing but texts for its arguments: all that it runs is looked at. */
const plainCall =
  /\b(?:(?:os|subprocess|sp|child_process|IO|Open3|Kernel)\.)?(?:system|shell_exec|passthru|popen\w*|spawn\w*|exec(?!ut)\w*|run|call|check_output|check_call|getoutput)\s*\(?\s*\[?(?=\s*['"`])/gi;

class CommandFinder {
  readonly found: FoundCommand[] = [];

  /** A line for a shell. */
  line(text: string, depth: number): void {
    if (depth > maxDepth) {
      this.add([text], true);
      return;
    }
    for (const command of shellCommands(text)) this.command(command, depth);
  }

  private command({ words, piped }: ShellCommand, depth: number): void {
    let rest = words;
    // `A=b`, `then`, `!` stand before the program.
    for (let first = rest[0]; first !== undefined; first = rest[0]) {
      const { text } = first;
      // What these hold is a line that the shell runs by itself.
      const line = /^(?:PROMPT_COMMAND|PS[0-4])=([\s\S]*)$/.exec(text)?.[1];
      if (line !== undefined) this.line(line, depth + 1);
      else if (!keywords.has(text) && !/^\w+=/.test(text)) break;
      // `coproc NAME { … }`, `function NAME { … }`
      const named = text === "function" || (text === "coproc" && keywords.has(rest[2]?.text ?? ""));
      rest = rest.slice(named ? 2 : 1);
    }
    if (rest.length > 0) this.words(rest, piped, depth, undefined);
  }

  /** A program with its arguments; `reads`: something is put into its standard input. */
  words(words: readonly ShellWord[], reads: boolean, depth: number, stdin: string | undefined): void {
    const [program, ...args] = words;
    if (program === undefined) return;
    // `=rm` is the path of `rm` in some shells, the loader is a starter.
    const name = programName(program.text)
      .replace(/\.exe$/i, "")
      .replace(/^=/, "")
      .replace(/^ld(?:-linux)?[\w.-]*\.so[\d.]*$/, "nohup");
    const hidden = program.unknown && /[$*?[{]/.test(name);
    this.add(
      words.map(({ text }) => text),
      hidden || depth > maxDepth,
    );
    if (hidden || depth > maxDepth || this.found.length > maxCommands) return;
    if (shells.has(name)) this.shell(args, reads, depth, stdin);
    else if (name === "su")
      this.shell(
        args.filter(({ text }) => text !== "-"),
        reads,
        depth,
        stdin,
      );
    else if (name === "find" || name === "fd" || name === "fdfind") this.find(args, depth);
    else if (name === "source" || name === ".") this.sourced(args, reads, depth);
    else if (name === "hash" || name === "enable") this.renamed(words);
    else if (name === "mapfile" || name === "readarray" || name === "compgen" || name === "complete")
      this.line(args[args.findIndex(({ text }) => text === "-C") + 1]?.text ?? "", depth + 1);
    else if (name === "at" || name === "batch") this.input(reads, depth, stdin);
    else if (arithmetic.has(name)) this.evaluated(args, depth);
    else if (name === "eval") this.line(args.map(({ text }) => text).join(" "), depth + 1);
    else if (name === "trap") this.line(args[0]?.text ?? "", depth + 1);
    else if (name === "alias")
      for (const { text } of args) this.line(text.slice(text.indexOf("=") + 1), depth + 1);
    else if (awks.test(name)) this.code(codeOfAwk(args), depth);
    else if (name === "sg") this.line(args.at(-1)?.text ?? "", depth + 1);
    else if (starters.has(name)) this.started(name, starters.get(name) as Starter, args, reads, depth);
    else this.interpreted(name, args, reads, stdin, depth);
  }

  private add(words: readonly string[], unknown: boolean): void {
    this.found.push({ words, unknown });
  }

  /** A file whose lines this shell runs: what is made for the moment can't be told. */
  private sourced(args: readonly ShellWord[], reads: boolean, depth: number): void {
    const file = args[0];
    if (file === undefined) return;
    if (standardInput.test(file.text)) this.input(reads, depth, undefined);
    if (file.unknown) this.add(["source", file.text], true);
  }

  /** `hash -p FILE NAME`, `enable -f FILE NAME`: another program under a name from here on. */
  private renamed(words: readonly ShellWord[]): void {
    if (words.some(({ text }) => /^-\w*[pf]/.test(text)))
      this.add(
        words.map(({ text }) => text),
        true,
      );
  }

  /** Words in which a shell runs what is substituted although they were quoted: `let 'a[$(rm x)]'`. */
  private evaluated(args: readonly ShellWord[], depth: number): void {
    for (const { text } of args) if (/\$\(|`/.test(text)) this.line(text, depth + 1);
  }

  /** `-c LINE`, a script file, or standard input. */
  private shell(args: readonly ShellWord[], reads: boolean, depth: number, stdin: string | undefined): void {
    for (let at = 0; at < args.length; at++) {
      const { text } = args[at] as ShellWord;
      if (/^-[A-Za-z]*c[A-Za-z]*$/.test(text) || text === "--command") {
        // `bash -c -x 'line'`: the line is the first word after that is no option.
        const line = args.slice(at + 1).find((arg) => !/^[-+]\w/.test(arg.text));
        if (line === undefined) return;
        if (line.unknown) this.add([line.text], true);
        this.line(line.text, depth + 1);
        return;
      }
      if (text === "--rcfile" || text === "--init-file") this.sourced(args.slice(++at), reads, depth);
      else if (text === "-o" || text === "+o" || text === "-O") at += 1;
      else if (text === "-s" || text === "-" || standardInput.test(text)) break;
      else if (!/^[-+]/.test(text)) {
        // `bash <(…)`: a script that is made for the moment.
        if ((args[at] as ShellWord).unknown) this.add([text], true);
        return;
      }
    }
    this.input(reads, depth, stdin);
  }

  /** Commands or code that come over standard input. */
  private input(reads: boolean, depth: number, stdin: string | undefined): void {
    if (stdin !== undefined) this.line(stdin, depth + 1);
    else if (reads) this.add(["(standard input)"], true);
  }

  private find(args: readonly ShellWord[], depth: number): void {
    const starts = new Set(["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"]);
    for (const [at, { text }] of args.entries()) {
      if (!starts.has(text)) continue;
      const after = args.slice(at + 1);
      const end = after.findIndex((arg) => arg.text === ";" || arg.text === "+");
      // What is found stands in for `{}`: as a program it may be any.
      const inner = after
        .slice(0, end < 0 ? undefined : end)
        .map((word) => (word.text.includes("{}") ? { ...word, unknown: true } : word));
      this.words(inner, false, depth + 1, undefined);
    }
  }

  private started(
    name: string,
    how: Starter,
    args: readonly ShellWord[],
    reads: boolean,
    depth: number,
  ): void {
    let at = 0;
    for (; at < args.length; at++) {
      const { text } = args[at] as ShellWord;
      if (text === "--") {
        at += 1;
        break;
      }
      const line = /^(?:-S|--split-string)(?:=|$)|^-[a-z]*S/.exec(text);
      if (name === "env" && line !== null) {
        const inline = text.replace(/^(?:--split-string=?|-[a-z]*S)/, "");
        const rest = args.slice(at + (inline === "" ? 2 : 1)).map((arg) => arg.text);
        this.line([inline === "" ? (args[at + 1]?.text ?? "") : inline, ...rest].join(" "), depth + 1);
        return;
      }
      if (
        (name === "script" || name === "flock" || name === "runuser") &&
        (text === "-c" || text === "--command")
      ) {
        this.line(args[at + 1]?.text ?? "", depth + 1);
        return;
      }
      if (how.withValue.has(text)) at += 1;
      else if (how.assignments === true && /^[^-=][^=]*=/.test(text)) continue;
      else if (!text.startsWith("-")) break;
    }
    const places = name === "xargs" || name === "parallel" ? wordPlaceholders(args.slice(0, at)) : [];
    const inner = args
      .slice(at + how.operands)
      .map((word) => (places.some((one) => word.text.includes(one)) ? { ...word, unknown: true } : word));
    if (inner.length === 0) {
      if (name === "parallel") this.add([name], true);
      return;
    }
    if (places.includes(inner[0]?.text ?? "")) this.add([inner[0]?.text ?? ""], true);
    // These hand their words to a shell as a line, or may.
    if (name === "watch" || name === "parallel" || name === "ssh" || (name === "flock" && inner.length === 1))
      this.line(inner.map(({ text }) => text).join(" "), depth + 1);
    if (name === "flock" && (inner[0]?.text === "-c" || inner[0]?.text === "--command"))
      this.line(inner[1]?.text ?? "", depth + 1);
    else this.words(inner, reads && name !== "xargs", depth + 1, undefined);
    // `xargs env`: what comes in is the command.
    const last = programName(this.found.at(-1)?.words[0] ?? "");
    if (
      (name === "xargs" || name === "parallel") &&
      (starters.has(last) || shells.has(last) || last === "eval")
    )
      this.add([name, last], true);
  }

  private interpreted(
    name: string,
    args: readonly ShellWord[],
    reads: boolean,
    stdin: string | undefined,
    depth: number,
  ): void {
    const option = interpreters.find(([program]) => program.test(name))?.[1];
    if (option === undefined) return;
    const at = args.findIndex(({ text }) => option.test(text) || /^--(?:eval|print)=/.test(text));
    if (at >= 0) {
      const first = args[at] as ShellWord;
      const code = first.text.includes("=")
        ? { ...first, text: first.text.slice(first.text.indexOf("=") + 1) }
        : args[at + 1];
      if (code !== undefined) this.code(code.text, depth);
      return;
    }
    const attached = args
      .map(({ text }) => /^-[cer](.{2,})$/s.exec(text)?.[1])
      .find((text) => text !== undefined);
    if (attached !== undefined) this.code(attached, depth);
    else if (args.every(({ text }) => text.startsWith("-"))) {
      if (stdin !== undefined) this.code(stdin, depth);
      else if (reads) this.add(["(standard input)"], true);
    }
  }

  /**
   * Commands are texts in code: each is taken as a line, and lists of texts as the words of one. Code that starts programs in a way
   * that does not show which can't be told.
   */
  private code(text: string, depth: number): void {
    const plain = quotedAlike(text);
    const unseen = withoutTexts(plain.replace(plainCall, "("));
    this.found.push({ words: [text], unknown: starts.test(unseen), isCode: true });
    // Most texts in code are no commands: that one can't be told says nothing.
    const inner = new CommandFinder();
    inner.literals(plain, depth);
    this.found.push(...inner.found.filter(({ unknown }) => !unknown));
  }

  private literals(text: string, depth: number): void {
    const literal = /'((?:\\[\s\S]|[^'\\])*)'|"((?:\\[\s\S]|[^"\\])*)"|`((?:\\[\s\S]|[^`\\])*)`/g;
    let list: string[] = [];
    let end = -1;
    const flush = (): void => {
      if (list.length > 1) this.words(list.map(known), false, depth + 1, undefined);
      list = [];
    };
    for (const found of text.matchAll(literal)) {
      const value = (found[1] ?? found[2] ?? found[3] ?? "").replace(/\\([\s\S])/g, "$1");
      const between = text.slice(end, found.index);
      // `execFile("rm", ["-r", "x"])`: words with nothing but commas and brackets between them.
      if (end < 0 || !/^[\s,()[\]]*$/.test(between)) flush();
      list.push(value);
      end = found.index + found[0].length;
      if (value.trim() !== "") this.line(value, depth + 1);
    }
    flush();
  }
}

const textsInCode = /'(?:\\[\s\S]|[^'\\])*'|"(?:\\[\s\S]|[^"\\])*"|`(?:\\[\s\S]|[^`\\])*`/g;

const withoutTexts = (code: string): string => code.replace(textsInCode, "''");

/** `qx{…}`, `q(…)`, `qw[…]`, `%x(…)`: texts of Perl and Ruby in their other quotes, as ones that every language has. */
function quotedAlike(code: string): string {
  const quotes =
    /(?:\bq[qwx]?|%[xqQwWi]?)\s*(?:\{([^{}]*)\}|\(([^()]*)\)|\[([^[\]]*)\]|<([^<>]*)>|([/|!~^#,])((?:(?!\5)[^\n])*)\5)/g;
  return code.replace(quotes, (all: string, ...groups: (string | undefined)[]) => {
    const text = groups.slice(0, 4).find((one) => one !== undefined) ?? groups[5];
    return text === undefined || text.trim() === "" ? all : ` ${JSON.stringify(text)} `;
  });
}
