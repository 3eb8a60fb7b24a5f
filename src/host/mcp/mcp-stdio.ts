/**
 * MCP over the pipes of a program that is started for it: one JSON-RPC message per line. The client package has a
 * transport of its own; this one starts the server like every program of a run (a process group of its own, so that
 * Ctrl-C does not take the server away before the script's `finally` blocks ran, and nothing that `npx` leaves behind
 * survives), and remembers what the server last said, for the message when it fails.
 */
import { StringDecoder } from "node:string_decoder";
import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { type NodeChild, startLasting } from "../node/node-processes.ts";
import { hostError } from "../node/os-errors.ts";
import { graceMs, signalGroup, sweep } from "../node/process-tree.ts";
import { HostError } from "../ports.ts";
import type { McpTarget } from "./mcp-port.ts";

/** A longer line is no message but a fault: the connection ends. */
const maxLineLength = 64 * 1024 * 1024;
/** Characters kept of what a server says on standard error, or in lines that are no messages. */
const keptWords = 2000;

export class StdioServer implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  private readonly target: Extract<McpTarget, { transport: "stdio" }>;
  private running: NodeChild | undefined;
  private readonly decoder = new StringDecoder("utf8");
  /** The line that has begun, in pieces: joined once, when it is whole. */
  private begun: string[] = [];
  private begunLength = 0;
  private said = "";
  private stray = "";
  private closed = false;
  /** How the program ended, in words; "" while it runs. */
  private end = "";

  constructor(target: Extract<McpTarget, { transport: "stdio" }>) {
    this.target = target;
  }

  start(): Promise<void> {
    const { command, args, env, cwd } = this.target;
    return new Promise((resolve, reject) => {
      let running: NodeChild;
      try {
        running = startLasting(command, args, { env, cwd });
      } catch (error) {
        reject(unstarted(command, error));
        return;
      }
      this.running = running;
      const { child } = running;
      child.once("spawn", () => resolve());
      child.once("error", (error) => {
        if (child.pid === undefined) reject(unstarted(command, error));
      });
      child.once("close", (status, signal) => this.ended(status, signal));
      child.stdout?.on("data", (chunk: Buffer) => this.take(chunk));
      child.stderr?.on("data", (chunk: Buffer) => {
        this.said = (this.said + chunk.toString("utf8")).slice(-keptWords);
      });
      // A server that is gone: `close` tells it.
      child.stdin?.on("error", () => {});
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.running?.child.stdin;
    if (stdin === null || stdin === undefined || !stdin.writable || this.closed)
      return Promise.reject(new Error("the server is gone"));
    if (stdin.write(serializeMessage(message))) return Promise.resolve();
    return new Promise((resolve) => {
      const go = (): void => {
        stdin.off("drain", go).off("close", go);
        resolve();
      };
      // Whoever waits for room while the server dies must not wait for ever.
      stdin.once("drain", go).once("close", go);
    });
  }

  /** Ends the server: no more input, then SIGTERM, then SIGKILL, a grace apart; and whatever it started. */
  async close(): Promise<void> {
    const { running } = this;
    if (running === undefined) return;
    const { child, token } = running;
    const gone = new Promise<void>((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) resolve();
      else child.once("exit", () => resolve());
    });
    child.stdin?.end();
    if (!(await happensWithin(gone, graceMs))) {
      signalGroup(child, "SIGTERM");
      if (!(await happensWithin(gone, graceMs))) signalGroup(child, "SIGKILL");
    }
    signalGroup(child, "SIGKILL");
    sweep(token);
    child.stdout?.destroy();
    child.stderr?.destroy();
    this.finish();
  }

  /** For messages: how it ended and what it last said. */
  lastWords(): string {
    const words = this.said.trim() === "" ? this.stray : this.said;
    const quoted = words.trim() === "" ? "" : `its last words: ${outputTail(words)}`;
    return [this.end, quoted].filter((part) => part !== "").join("; ");
  }

  private take(chunk: Buffer): void {
    if (this.closed) return;
    const [rest = "", ...lines] = this.decoder.write(chunk).split("\n");
    this.hold(rest);
    for (const line of lines) {
      this.read(this.begun.join("").trim());
      this.begun = [];
      this.begunLength = 0;
      this.hold(line);
    }
    if (this.begunLength <= maxLineLength) return;
    this.stray = `a line of more than ${maxLineLength} characters`;
    this.begun = [];
    this.begunLength = 0;
    this.finish();
    void this.close();
  }

  private hold(text: string): void {
    this.begun.push(text);
    this.begunLength += text.length;
  }

  /** Lines that are no messages are the log output of a server that does not know better. */
  private read(line: string): void {
    if (line === "") return;
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch {
      this.stray = line.slice(0, keptWords);
      return;
    }
    try {
      this.onmessage?.(message);
    } catch (error) {
      // The client writes what nobody asked for into an error's text, as JSON, and runs out of stack.
      if (!(error instanceof RangeError)) throw error;
      this.stray = "a message that is nested too deeply";
    }
  }

  private ended(status: number | null, signal: NodeJS.Signals | null): void {
    this.end = signal === null ? `it ended with exit status ${status}` : `it was ended by ${signal}`;
    if (this.running !== undefined) sweep(this.running.token);
    this.finish();
  }

  private finish(): void {
    if (this.closed) return;
    this.closed = true;
    this.onclose?.();
  }
}

function unstarted(command: string, error: unknown): HostError {
  return new HostError("ESPAWN", `failed to spawn '${command}': ${hostError(error).message}`);
}

/** Whether something happens in time. */
async function happensWithin(event: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const inTime = await Promise.race([event.then(() => true), late]);
  clearTimeout(timer);
  return inTime;
}

function outputTail(text: string): string {
  const said = text.trim().split("\n");
  // An error of ours begins with what is wrong, and ends with the lines of the script.
  const error = said.findLastIndex((line) => /^(?:error|\w*Error)\b/.test(line));
  const lines = error >= 0 ? said.slice(error, error + 2) : said.slice(-3);
  return lines.map((line) => line.trim().slice(0, 300)).join(" | ");
}
