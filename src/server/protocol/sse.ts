/** Event streams as they come over the wire, piece by piece. */

export interface SseMessage {
  readonly type: string;
  readonly data: string;
}

/** Takes pieces of text that may be cut anywhere, gives the messages that they complete. */
export class SseParser {
  /** Of the last message that had one, also of one without data; "" before. */
  lastId = "";
  private rest = "";
  private type = "";
  private data: string[] = [];

  feed(piece: string): SseMessage[] {
    const found: SseMessage[] = [];
    this.rest += piece;
    let from = 0;
    for (;;) {
      const end = this.rest.indexOf("\n", from);
      if (end < 0) break;
      const line = this.rest.slice(from, this.rest[end - 1] === "\r" ? end - 1 : end);
      from = end + 1;
      const message = this.line(line);
      if (message !== null) found.push(message);
    }
    this.rest = this.rest.slice(from);
    return found;
  }

  private line(line: string): SseMessage | null {
    if (line === "") return this.dispatch();
    const colon = line.indexOf(":");
    if (colon === 0) return null;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "event") this.type = value;
    else if (field === "data") this.data.push(value);
    else if (field === "id") this.lastId = value;
    return null;
  }

  private dispatch(): SseMessage | null {
    const message =
      this.data.length === 0 ? null : { type: this.type || "message", data: this.data.join("\n") };
    this.type = "";
    this.data = [];
    return message;
  }
}
