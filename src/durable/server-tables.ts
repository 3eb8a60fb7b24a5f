/**
 * The tables of durable conversations, of those who use a server, and of writing projects. Times are milliseconds since the
 * epoch, flags 0 or 1; `JSON text` says what a text holds.
 */

import { number, type Row, table, text } from "./table-shape.ts";

export const serverShapes = {
  conversation: table("id", {
    /** `c_…` */
    id: text,
    agent: text,
    /** Name of the principal. */
    owner: text,
    /** `operations/status.ts` */
    state: text,
    /** JSON text: `operations/conversations/record.ts`. */
    record: text,
    /** Number of its last event. */
    head: number,
    version: number,
    changed: number,
  }),
  /** A run that works, or worked, for a conversation. */
  conversation_run: table("run", {
    run: text,
    conversation: text,
    message: text.orNull,
    began: number,
    ended: number.orNull,
    /** `done`, `failed`, `interrupted`, `waiting`; null while it works. */
    status: text.orNull,
  }),
  message: table("conversation n", {
    conversation: text,
    /** In the order in which they came, from 1. */
    n: number,
    /** `m_…` */
    id: text,
    /** JSON text: `{text, attachments}`. */
    body: text,
    /** `queue`, `step`, `now` */
    delivery: text,
    by: text,
    queued: number,
    /** `queued`, `taken`, `said`, `withdrawn` */
    state: text,
    run: text.orNull,
  }),
  /** What the model is told next time. */
  history: table("conversation n", {
    conversation: text,
    /** From 1, without gaps; a fork goes on after what it shares. */
    n: number,
    /** `msg_N` */
    id: text,
    run: text.orNull,
    at: number,
    /** JSON text of the message with its origin. */
    body: text,
  }),
  partial: table("stream message", {
    stream: text,
    /** Address of the message: `LOOP/TURN`. */
    message: text,
    /** JSON text: `{run, loop, turn, text}`. */
    body: text,
    at: number,
  }),
  interrupt: table("id", {
    /** `i_…` */
    id: text,
    run: text.orNull,
    conversation: text.orNull,
    asked: number,
    by: text,
    reason: text.orNull,
    done: number.orNull,
    /** `unwound`, `killed`, `idle` */
    how: text.orNull,
  }),
  /** Keeps a piece (`Tx.keepPiece`) as long as the row is there. */
  piece_holder: table("holder piece", {
    /** A stream, or whatever needs it. */
    holder: text,
    piece: number,
  }),
  principal: table("name", {
    name: text,
    /** `read`, `write`, `admin` */
    role: text,
    /** SHA-256 of the token, hexadecimal. */
    token: text,
    created: number,
    revoked: number.orNull,
  }),
  login: table("hash", {
    /** SHA-256 of the code or cookie, hexadecimal. */
    hash: text,
    /** `code`, `cookie` */
    kind: text,
    principal: text,
    expires: number,
    used: number.orNull,
  }),
  /** The answer to a request that may be repeated with its key. */
  answered_request: table("principal key", {
    principal: text,
    key: text,
    /** Of the request's body. */
    digest: text,
    /** HTTP status; 0 while it is in progress. */
    status: number,
    /** JSON text. */
    body: text,
    at: number,
  }),
  writing_projects: table("id", {
    /** `p_…` */
    id: text,
    conversation: text.orNull,
    owner: text,
    title: text,
    /** JSON text of a list. */
    authors: text,
    abstract: text,
    language: text,
    citation_style: text,
    /** `outline`, `drafting`, `review`, `final` */
    state: text,
    /** Number of the newest version; they count from 1 without gaps. */
    version: number,
    created: number,
    changed: number,
    deleted: number.orNull,
  }),
  writing_sections: table("project id", {
    project: text,
    /** `s_…` */
    id: text,
    parent: text.orNull,
    /** Among those with the same parent, from 0. */
    position: number,
    title: text,
    label: text,
    /** Markdown. */
    body: text,
    summary: text,
    /** `planned`, `drafted`, `revised` */
    state: text,
    /** The project's version that changed it last. */
    version: number,
    changed: number,
  }),
  writing_references: table("project key", {
    project: text,
    key: text,
    /** JSON text: CSL-JSON. */
    item: text,
    verified: number,
    /** JSON text. */
    origin: text.orNull,
    quote: text.orNull,
  }),
  writing_versions: table("project n", {
    project: text,
    /** From 1, without gaps. */
    n: number,
    at: number,
    by: text,
    run: text.orNull,
    op: text,
    note: text.orNull,
    /** JSON text; bodies by hash. */
    changes: text,
  }),
  library: table("id", {
    id: number,
    key: text,
    /** JSON text: CSL-JSON. */
    item: text,
    verified: number,
    /** JSON text. */
    origin: text.orNull,
    source: text.orNull,
    added: number,
  }),
  note: table("id", {
    id: number,
    conversation: text,
    title: text,
    text: text,
    /** JSON text of a list. */
    tags: text,
    at: number,
  }),
  source: table("id", {
    id: text,
    conversation: text,
    url: text,
    title: text,
    fetched: number,
    hash: text,
    /** Number of the piece. */
    blob: number.orNull,
    chars: number,
  }),
};

export type WritingProjectRow = Row<typeof serverShapes.writing_projects>;
export type WritingSectionRow = Row<typeof serverShapes.writing_sections>;
