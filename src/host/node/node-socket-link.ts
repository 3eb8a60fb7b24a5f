/** One web socket over the package `ws`, as both sides use it. */
import type { WebSocket } from "ws";
import { Inbox } from "../inbox.ts";
import { HostError } from "../ports.ts";
import type { SocketLimits, SocketLink, SocketMessage } from "../socket-port.ts";

/** Messages that wait to be taken; with more the other side is made to wait. */
const maxWaiting = 64;
/** How long the other side may take to answer a close. */
const closeGraceMs = 1000;

export class NodeSocketLink implements SocketLink {
  private readonly socket: WebSocket;
  private readonly limits: SocketLimits;
  private readonly inbox: Inbox<SocketMessage>;
  private sending = 0;
  private received = 0;
  private idle: NodeJS.Timeout | undefined;

  constructor(socket: WebSocket, limits: SocketLimits) {
    this.socket = socket;
    this.limits = limits;
    this.inbox = new Inbox((left) => {
      if (left < maxWaiting && socket.isPaused) socket.resume();
    });
    sayTooLarge(socket);
    socket.on("message", (data: Buffer, isBinary: boolean) => {
      const { maxMessages = Number.POSITIVE_INFINITY } = limits;
      this.received++;
      if (this.received <= maxMessages)
        this.arrive(isBinary ? { type: "binary", data } : { type: "text", data: data.toString("utf8") });
      if (this.received >= maxMessages) this.close(1000, "message limit reached");
    });
    socket.on("ping", (data) => this.arrive({ type: "ping", data }));
    socket.on("pong", (data) => this.arrive({ type: "pong", data }));
    socket.on("close", (code, reason) => this.ended(code, reason.toString("utf8")));
    socket.on("error", (error) => this.failed(error));
    this.moved();
  }

  private arrive(message: SocketMessage): void {
    this.moved();
    this.inbox.put(message);
    if (this.inbox.size >= maxWaiting) this.socket.pause();
  }

  /** Starts the time without movement anew. */
  private moved(): void {
    const { idleTimeoutMs } = this.limits;
    clearTimeout(this.idle);
    if (idleTimeoutMs === undefined) return;
    this.idle = setTimeout(() => this.close(1001, "idle timeout"), idleTimeoutMs).unref();
  }

  private ended(code: number, reason: string): void {
    clearTimeout(this.idle);
    this.inbox.put({ type: "close", code, reason });
    this.inbox.end();
  }

  /** The close event follows. */
  private failed(error: Error): void {
    const code = (error as { code?: string }).code ?? "EIO";
    if (code !== "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH") return;
    const words = `message exceeded max_message_bytes (${this.limits.maxMessageBytes})`;
    this.inbox.end({ error: new HostError("EFBIG", words) });
  }

  send(message: SocketMessage): "sent" | "closed" | "full" {
    const { socket } = this;
    if (socket.readyState !== socket.OPEN) return "closed";
    if (message.type === "close") {
      this.close(message.code, message.reason);
      return "sent";
    }
    if (this.sending >= this.limits.sendBuffer) return "full";
    this.sending++;
    this.moved();
    const sent = (): void => {
      this.sending--;
    };
    if (message.type === "ping") socket.ping(message.data, undefined, sent);
    else if (message.type === "pong") socket.pong(message.data, undefined, sent);
    else socket.send(message.data, { binary: message.type === "binary" }, sent);
    return "sent";
  }

  ready(): Promise<void> {
    return this.inbox.ready();
  }

  take(): SocketMessage | "empty" | undefined {
    return this.inbox.take();
  }

  close(code = 1000, reason = ""): void {
    const { socket } = this;
    clearTimeout(this.idle);
    if (socket.readyState === socket.CLOSED) return;
    socket.close(code, reason);
    // The answer to a close must be read, whoever takes messages or not.
    if (socket.isPaused) socket.resume();
    setTimeout(() => socket.terminate(), closeGraceMs).unref();
  }
}

/** `ws` closes a connection with too long a message by itself, and says no reason. */
function sayTooLarge(socket: WebSocket): void {
  const close = socket.close.bind(socket);
  socket.close = (code, reason) =>
    close(code, code === 1009 && reason === undefined ? "message too large" : reason);
}
