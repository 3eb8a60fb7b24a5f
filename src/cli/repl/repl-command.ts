/** `harn repl`: reads inputs from a terminal or a pipe, evaluates them in a session, shows values and errors. */
import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { builtinGlobals, builtinTable } from "../../builtins/index.ts";
import { renderDiagnostics, showText } from "../../diagnostics/index.ts";
import {
  colourOnStderr,
  colourOnStdout,
  exitCode,
  ProcessConsole,
  version,
} from "../../host/command/index.ts";
import { coreGlobals } from "../../lower/index.ts";
import { NodeModuleLoader } from "../../program/index.ts";
import { type ModelFlags, showError } from "../../run/setup/index.ts";
import { wireModels } from "../../run/setup/wire-models.ts";
import { type Evaluation, loadRepl, type Session } from "../../tools/index.ts";
import {
  completePaths,
  historyFile,
  historySize,
  ReplRunner,
  readReplHistory,
  writeHistory,
} from "../../tools/local/index.ts";
import { displayAnyway } from "../../values/index.ts";

const help = `An input is run when it is complete; open brackets and """ texts continue on the next line.
Variables, functions, types and imports stay; declaring a name again replaces it.

  :type EXPR   the type of an expression's value
  :doc NAME    what a builtin, or something declared here, is
  :load FILE   runs a file as if it had been typed here
  :help        this text
  :quit        ends the session, as Ctrl-D does

Ctrl-C ends what runs, or drops an input that is not finished. Tab completes.
`;

const commands = [":type", ":doc", ":load", ":help", ":quit"];

export async function replCommand(flags: ModelFlags): Promise<number> {
  const terminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const repl = await Repl.create(terminal, flags);
  return terminal ? repl.interactive() : repl.piped();
}

/** Nothing but a documentation comment. */
const documentation = /^\s*(?:\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*|(?:\s*\/\/\/[^\n]*)+)$/;

const promptFor = (pending: readonly string[]): string => (pending.length === 0 ? "harn> " : "  ... ");

class Repl {
  private readonly terminal: boolean;
  private readonly console = new ProcessConsole();
  private readonly runner: ReplRunner;
  private readonly tools: Awaited<ReturnType<typeof loadRepl>>;
  private readonly session: Session;
  private readonly words: readonly string[];
  /** Lines of an input that is not complete yet. */
  private pending: string[] = [];
  private inputs = 0;
  /** Of a piped session: whether any input failed. */
  private failed = false;
  /** Set when the session is to end. */
  private ending: number | undefined;

  static async create(terminal: boolean, flags: ModelFlags): Promise<Repl> {
    const [tools, syntax] = await Promise.all([loadRepl(), import("../../syntax/index.ts")]);
    return new Repl(terminal, flags, tools, syntax);
  }

  private constructor(
    terminal: boolean,
    flags: ModelFlags,
    tools: Awaited<ReturnType<typeof loadRepl>>,
    syntax: typeof import("../../syntax/index.ts"),
  ) {
    this.terminal = terminal;
    this.runner = new ReplRunner(this.console, (runtime) => wireModels(runtime, flags));
    this.tools = tools;
    this.words = [...syntax.words.keys()];
    this.session = new tools.Session({
      builtins: builtinTable(),
      globals: builtinGlobals,
      parse: syntax.parse,
      loader: new NodeModuleLoader(),
      run: (program, options) => this.runner.run(program, options),
    });
    this.runner.onRestart = () =>
      this.say(
        "the run's own state (mocks, conversations, tasks) begins anew; variables and functions stay\n",
      );
  }

  // ---------------------------------------------------------------- a terminal

  async interactive(): Promise<number> {
    // While an input is compiled nobody else listens, and Ctrl-C must not end the session.
    process.on("SIGINT", () => {});
    process.stdout.write(`harn ${version}; :help shows the commands, Ctrl-D ends\n`);
    const file = historyFile();
    const lines = createInterface({
      input: process.stdin,
      output: process.stdout,
      history: readReplHistory(file),
      historySize,
      removeHistoryDuplicates: true,
      completer: (line: string) => this.complete(line),
    });
    lines.on("history", (entries: string[]) => writeHistory(file, entries));
    const code = await this.serve(lines);
    lines.close();
    await this.runner.close();
    return code;
  }

  /** Lines may come faster than they are evaluated (a paste), so they queue. */
  private serve(lines: Interface): Promise<number> {
    const queue: string[] = [];
    let busy = false;
    let closed = false;
    return new Promise((resolve) => {
      const next = async (): Promise<void> => {
        if (busy) return;
        busy = true;
        while (queue.length > 0 && this.ending === undefined) {
          this.terminalIs("ordinary", lines);
          await this.line(queue.shift()!, false);
          // Ctrl-D may have been typed meanwhile: then there is no terminal to go back to.
          if (!closed) this.terminalIs("editing", lines);
        }
        busy = false;
        if (this.ending !== undefined || closed) resolve(this.ending ?? exitCode.ok);
        else this.prompt(lines);
      };
      lines.on("line", (line) => {
        queue.push(line);
        void next();
      });
      lines.on("SIGINT", () => {
        const hadText = this.pending.length > 0 || lines.line !== "";
        this.pending = [];
        process.stdout.write(hadText ? "\n" : "\n(Ctrl-D or :quit ends the session)\n");
        lines.setPrompt(promptFor(this.pending));
        // Clears what was typed, without taking it as an input.
        lines.write(null, { ctrl: true, name: "e" });
        lines.write(null, { ctrl: true, name: "u" });
        this.prompt(lines);
      });
      lines.on("close", () => {
        closed = true;
        if (this.ending === undefined) process.stdout.write("\n");
        if (!busy) resolve(this.ending ?? exitCode.ok);
      });
      this.prompt(lines);
    });
  }

  private prompt(lines: Interface): void {
    lines.setPrompt(promptFor(this.pending));
    lines.prompt();
  }

  /** While something runs the terminal is an ordinary one: Ctrl-C is a signal, and what is typed waits. */
  private terminalIs(mode: "ordinary" | "editing", lines: Interface): void {
    if (mode === "ordinary") lines.pause();
    process.stdin.setRawMode(mode === "editing");
    if (mode === "editing") lines.resume();
  }

  // ---------------------------------------------------------------- a pipe

  async piped(): Promise<number> {
    for await (const line of createInterface({ input: process.stdin })) {
      await this.line(line, false);
      if (this.ending !== undefined) break;
    }
    if (this.ending === undefined && this.pending.length > 0) await this.line("", true);
    await this.runner.close();
    return this.ending ?? (this.failed ? exitCode.failed : exitCode.ok);
  }

  // ---------------------------------------------------------------- inputs

  private async line(line: string, last: boolean): Promise<void> {
    if (this.pending.length === 0 && /^\s*:/.test(line)) {
      await this.command(line.trim());
      return;
    }
    const text = [...this.pending, line].join("\n");
    this.pending = [];
    if (text.trim() === "") return;
    // A documentation comment belongs to the declaration that follows.
    if (!last && documentation.test(text)) {
      this.pending = text.split("\n");
      return;
    }
    const evaluation = await this.evaluate(text, `<input ${this.inputs + 1}>`, undefined, last);
    if (evaluation.kind === "incomplete") this.pending = text.split("\n");
  }

  private async evaluate(
    text: string,
    name: string,
    path: string | undefined,
    last: boolean,
  ): Promise<Evaluation> {
    const evaluation = await this.session.evaluate(text, {
      name,
      path: path ?? join(process.cwd(), "<repl>"),
      last,
    });
    this.console.flush();
    if (evaluation.kind !== "incomplete") this.inputs++;
    this.show(evaluation);
    return evaluation;
  }

  private show(evaluation: Evaluation): void {
    switch (evaluation.kind) {
      case "incomplete":
        return;
      case "refused":
        this.failed = true;
        this.say(`${renderDiagnostics(evaluation.diagnostics, { colour: colourOnStderr() })}\n`);
        return;
      case "interrupted":
        this.failed = true;
        this.say("interrupted\n");
        return;
      case "exit":
        this.ending = evaluation.code;
        return;
      case "failed": {
        this.failed = true;
        const { error, internal } = evaluation.outcome;
        if (error !== undefined) {
          const own = this.session.transcript.localise(error.error);
          this.say(showError(own, colourOnStderr()));
        } else this.complain(`internal error, please report it: ${internal?.message ?? "no outcome"}`);
        return;
      }
      case "done":
        for (const note of evaluation.notes) this.say(`${showText(note)}\n`);
        if (evaluation.value === undefined || (evaluation.value === null && evaluation.isCall)) return;
        this.print(displayAnyway(evaluation.value));
    }
  }

  /** Values come from anywhere: nothing in them may steer the terminal. */
  private print(text: string): void {
    const safe = this.terminal ? text.split("\n").map(showText).join("\n") : text;
    process.stdout.write(colourOnStdout() && this.terminal ? `\u001b[36m${safe}\u001b[0m\n` : `${safe}\n`);
  }

  private say(text: string): void {
    this.console.writeError(text);
  }

  // ---------------------------------------------------------------- commands

  private async command(line: string): Promise<void> {
    const [, name = "", rest = ""] = /^:(\w*)\s*(.*)$/s.exec(line) ?? [];
    switch (name) {
      case "quit":
      case "q":
        this.ending = this.terminal || !this.failed ? exitCode.ok : exitCode.failed;
        return;
      case "help":
        process.stdout.write(help);
        return;
      case "type":
        return this.showType(rest);
      case "doc":
        return this.showDoc(rest);
      case "load":
        return this.load(rest);
      default:
        this.failed = true;
        this.say(`there is no command :${name}; :help shows all\n`);
    }
  }

  /** Static: nothing is run. */
  private showType(text: string): void {
    if (text === "") {
      this.complain(":type needs an expression, such as `:type [1, 2]`");
      return;
    }
    const { type, diagnostics } = this.session.typeOf(text);
    if (diagnostics.length > 0) this.show({ kind: "refused", diagnostics });
    else if (type === undefined) this.complain(":type needs an expression, and this is none");
    else this.print(type);
  }

  private showDoc(name: string): void {
    if (name === "") this.complain(":doc needs a name, such as `:doc len`");
    else
      process.stdout.write(
        `${showText(this.tools.describe(name.replace(/\(.*$/s, ""), this.session, builtinTable()))}\n`,
      );
  }

  private async load(file: string): Promise<void> {
    if (file === "") {
      this.complain(":load needs a file");
      return;
    }
    let text: string;
    let path: string;
    try {
      path = realpathSync(file);
      text = readFileSync(path, "utf8").replace(/^\uFEFF/, "");
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      const why = code === "ENOENT" ? "no such file" : code === "EISDIR" ? "it is a folder" : String(code);
      this.complain(`:load cannot read ${file}: ${why}`);
      return;
    }
    await this.evaluate(text, file, path, true);
  }

  private complain(text: string): void {
    this.failed = true;
    this.say(`${showText(text)}\n`);
  }

  private complete(line: string): [string[], string] {
    const library = new NodeModuleLoader().library;
    const [candidates, part] = this.tools.complete(line, this.session, {
      builtins: builtinTable().keys(),
      keywords: this.words,
      globals: [...coreGlobals.keys(), ...builtinGlobals.keys()],
      commands,
      paths: (prefix) => completePaths(prefix, library),
    });
    return [[...candidates], part];
  }
}
