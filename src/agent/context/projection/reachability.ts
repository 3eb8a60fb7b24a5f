/**
 * `reachability_gc`: long results of tools that nothing refers to any more are sent as a note of where they are. A result is
 * reached from the scratchpad (its refs and the sources that its entries cite), from a later message that names it, and
 * for the last turns in any case. Names of a result are its call's id, `msg_N` and `turn:N`.
 *
 * Each message is looked at once. A new version of the scratchpad is a barrier: what it refers to now is sent again.
 */

import { type Conversation, type LoggedMessage, messageText } from "../../../model/index.ts";
import { Dict, List, type Value } from "../../../values/index.ts";
import { Projection } from "./projection.ts";
import { answeredCall, framedResults } from "./tool-results.ts";

interface ReachableBody {
  readonly logged: LoggedMessage;
  readonly names: readonly string[];
  /** The number of the turn that it belongs to. */
  readonly turn: number;
  cleared: boolean;
}

/** A body shorter than this is not worth a note. */
const smallest = 300;
/** Words that may be names; bounded, so that a long word costs what it is long. */
const nameLike = /[A-Za-z][\w:.-]{1,80}/g;

export class Reachability extends Projection {
  private readonly keepTurns: number;
  private bodies: ReachableBody[] = [];
  /** Bodies before this one have been cleared or are reached. */
  private young = 0;
  private turn = 0;
  private mentioned = new Set<string>();
  private padVersion = -1;
  private padNames: ReadonlySet<string> = new Set();

  constructor(conversation: Conversation, keepTurns: number) {
    super(conversation);
    this.keepTurns = keepTurns;
  }

  protected override forget(): void {
    this.bodies = [];
    this.young = 0;
    this.turn = 0;
    this.mentioned = new Set();
    this.padVersion = -1;
    this.padNames = new Set();
  }

  protected take(logged: LoggedMessage): void {
    this.push(logged);
    const { message } = logged;
    if (message.role === "assistant") this.turn++;
    const call = answeredCall(message);
    if (call === undefined && framedResults(message).length === 0) this.mention(messageText(message));
    else if (messageText(message).length >= smallest) this.takeBody(logged, call);
  }

  private takeBody(logged: LoggedMessage, call: string | undefined): void {
    const number = logged.id.slice("msg_".length);
    this.bodies.push({
      logged,
      names: [logged.id, `turn:${number}`, ...(call === undefined || call === "" ? [] : [call])],
      turn: this.turn,
      cleared: false,
    });
  }

  private mention(text: string): void {
    for (const [word] of text.matchAll(nameLike)) {
      const name = word.replace(/[.:-]+$/, "");
      if (!/\d/.test(name) || this.mentioned.has(name)) continue;
      this.mentioned.add(name);
      const cleared = this.bodies.find((body) => body.cleared && body.names.includes(name));
      if (cleared !== undefined) this.show(cleared);
    }
  }

  protected override settle(): void {
    const { scratchpadVersion, scratchpad } = this.conversation;
    if (scratchpadVersion !== this.padVersion) {
      this.padVersion = scratchpadVersion;
      this.padNames = padNames(scratchpad);
      for (const body of this.bodies.slice(0, this.young)) this.look(body);
    }
    for (; this.young < this.bodies.length; this.young++) {
      const body = this.bodies[this.young] as ReachableBody;
      if (body.turn > this.turn - this.keepTurns) return;
      this.look(body);
    }
  }

  private look(body: ReachableBody): void {
    const reached = body.names.some((name) => this.padNames.has(name) || this.mentioned.has(name));
    if (reached && body.cleared) this.show(body);
    else if (!reached && !body.cleared) this.clear(body);
  }

  private clear(body: ReachableBody): void {
    const at = this.indexOf(body.logged.id);
    if (at < 0) return;
    const { message } = body.logged;
    this.replace(at, 1, { ...body.logged, message: { ...message, content: reachabilityNote(body) } });
    body.cleared = true;
  }

  private show(body: ReachableBody): void {
    const at = this.indexOf(body.logged.id);
    if (at >= 0) this.replace(at, 1, body.logged);
    body.cleared = false;
  }
}

/** What stands in the place of a body. */
function reachabilityNote({ logged }: ReachableBody): string {
  const size = messageText(logged.message).length;
  const what = logged.message.name === undefined ? "tool output" : `output of ${logged.message.name}`;
  return `[${what} no longer shown: ${size} characters, kept in the transcript as ${logged.id}]`;
}

/** What a scratchpad refers to. */
function padNames(pad: Dict | null): ReadonlySet<string> {
  const names = new Set<string>();
  const collect = (value: Value): void => {
    if (value instanceof List) for (const item of value) collect(item);
    if (!(value instanceof Dict)) return;
    for (const [key, item] of value.entries()) {
      if ((key === "id" || key === "source_ref") && typeof item === "string") names.add(item);
      else collect(item);
    }
  };
  collect(pad);
  return names;
}
