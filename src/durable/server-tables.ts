/**
 * The tables of durable conversations, of those who use a server, and of writing projects. Times are milliseconds since the
 * epoch, flags 0 or 1; `JSON text` says what a text holds.
 */

import type { TableShape } from "../store/index.ts";
import { tableShape } from "./table-shape.ts";

export interface ConversationRow {
  /** `c_…` */
  readonly id: string;
  readonly agent: string;
  /** Name of the principal. */
  readonly owner: string;
  /** `operations/status.ts` */
  readonly state: string;
  /** JSON text: `operations/conversations/record.ts`. */
  readonly record: string;
  /** Number of its last event. */
  readonly head: number;
  readonly version: number;
  readonly changed: number;
}

/** A run that works, or worked, for a conversation. */
export interface ConversationRunRow {
  readonly run: string;
  readonly conversation: string;
  readonly message: string | null;
  readonly began: number;
  readonly ended: number | null;
  /** `done`, `failed`, `interrupted`, `waiting`; null while it works. */
  readonly status: string | null;
}

export interface MessageRow {
  readonly conversation: string;
  /** In the order in which they came, from 1. */
  readonly n: number;
  /** `m_…` */
  readonly id: string;
  /** JSON text: `{text, attachments}`. */
  readonly body: string;
  /** `queue`, `step`, `now` */
  readonly delivery: string;
  readonly by: string;
  readonly queued: number;
  /** `queued`, `taken`, `said`, `withdrawn` */
  readonly state: string;
  readonly run: string | null;
}

/** What the model is told next time. */
export interface HistoryRow {
  readonly conversation: string;
  /** From 1, without gaps; a fork goes on after what it shares. */
  readonly n: number;
  /** `msg_N` */
  readonly id: string;
  readonly run: string | null;
  readonly at: number;
  /** JSON text of the message with its origin. */
  readonly body: string;
}

export interface PartialRow {
  readonly stream: string;
  /** Address of the message: `LOOP/TURN`. */
  readonly message: string;
  /** JSON text: `{run, loop, turn, text}`. */
  readonly body: string;
  readonly at: number;
}

export interface InterruptRow {
  /** `i_…` */
  readonly id: string;
  readonly run: string | null;
  readonly conversation: string | null;
  readonly asked: number;
  readonly by: string;
  readonly reason: string | null;
  readonly done: number | null;
  /** `unwound`, `killed`, `idle` */
  readonly how: string | null;
}

/** Keeps a piece (`Tx.keepPiece`) as long as the row is there. */
export interface PieceHolderRow {
  /** A stream, or whatever needs it. */
  readonly holder: string;
  readonly piece: number;
}

export interface PrincipalRow {
  readonly name: string;
  /** `read`, `write`, `admin` */
  readonly role: string;
  /** SHA-256 of the token, hexadecimal. */
  readonly token: string;
  readonly created: number;
  readonly revoked: number | null;
}

export interface LoginRow {
  /** SHA-256 of the code or cookie, hexadecimal. */
  readonly hash: string;
  /** `code`, `cookie` */
  readonly kind: string;
  readonly principal: string;
  readonly expires: number;
  readonly used: number | null;
}

/** The answer to a request that may be repeated with its key. */
export interface AnsweredRequestRow {
  readonly principal: string;
  readonly key: string;
  /** Of the request's body. */
  readonly digest: string;
  /** HTTP status; 0 while it is in progress. */
  readonly status: number;
  /** JSON text. */
  readonly body: string;
  readonly at: number;
}

export interface WritingProjectRow {
  /** `p_…` */
  readonly id: string;
  readonly conversation: string | null;
  readonly owner: string;
  readonly title: string;
  /** JSON text of a list. */
  readonly authors: string;
  readonly abstract: string;
  readonly language: string;
  readonly citation_style: string;
  /** `outline`, `drafting`, `review`, `final` */
  readonly state: string;
  /** Number of the newest version; they count from 1 without gaps. */
  readonly version: number;
  readonly created: number;
  readonly changed: number;
  readonly deleted: number | null;
}

export interface WritingSectionRow {
  readonly project: string;
  /** `s_…` */
  readonly id: string;
  readonly parent: string | null;
  /** Among those with the same parent, from 0. */
  readonly position: number;
  readonly title: string;
  readonly label: string;
  /** Markdown. */
  readonly body: string;
  readonly summary: string;
  /** `planned`, `drafted`, `revised` */
  readonly state: string;
  /** The project's version that changed it last. */
  readonly version: number;
  readonly changed: number;
}

export interface WritingReferenceRow {
  readonly project: string;
  readonly key: string;
  /** JSON text: CSL-JSON. */
  readonly item: string;
  readonly verified: number;
  /** JSON text. */
  readonly origin: string | null;
  readonly quote: string | null;
}

export interface WritingVersionRow {
  readonly project: string;
  /** From 1, without gaps. */
  readonly n: number;
  readonly at: number;
  readonly by: string;
  readonly run: string | null;
  readonly op: string;
  readonly note: string | null;
  /** JSON text; bodies by hash. */
  readonly changes: string;
}

export interface LibraryRow {
  readonly id: number;
  readonly key: string;
  /** JSON text: CSL-JSON. */
  readonly item: string;
  readonly verified: number;
  /** JSON text. */
  readonly origin: string | null;
  readonly source: string | null;
  readonly added: number;
}

export interface NoteRow {
  readonly id: number;
  readonly conversation: string;
  readonly title: string;
  readonly text: string;
  /** JSON text of a list. */
  readonly tags: string;
  readonly at: number;
}

export interface SourceRow {
  readonly id: string;
  readonly conversation: string;
  readonly url: string;
  readonly title: string;
  readonly fetched: number;
  readonly hash: string;
  /** Number of the piece. */
  readonly blob: number | null;
  readonly chars: number;
}

export interface ServerTables {
  readonly conversation: ConversationRow;
  readonly conversation_run: ConversationRunRow;
  readonly message: MessageRow;
  readonly history: HistoryRow;
  readonly partial: PartialRow;
  readonly interrupt: InterruptRow;
  readonly piece_holder: PieceHolderRow;
  readonly principal: PrincipalRow;
  readonly login: LoginRow;
  readonly answered_request: AnsweredRequestRow;
  readonly writing_projects: WritingProjectRow;
  readonly writing_sections: WritingSectionRow;
  readonly writing_references: WritingReferenceRow;
  readonly writing_versions: WritingVersionRow;
  readonly library: LibraryRow;
  readonly note: NoteRow;
  readonly source: SourceRow;
}

export const serverShapes: { readonly [T in keyof ServerTables]: TableShape } = {
  conversation: tableShape("id", "id agent owner state record head version changed"),
  conversation_run: tableShape("run", "run conversation message began ended status"),
  message: tableShape("conversation n", "conversation n id body delivery by queued state run"),
  history: tableShape("conversation n", "conversation n id run at body"),
  partial: tableShape("stream message", "stream message body at"),
  interrupt: tableShape("id", "id run conversation asked by reason done how"),
  piece_holder: tableShape("holder piece", "holder piece"),
  principal: tableShape("name", "name role token created revoked"),
  login: tableShape("hash", "hash kind principal expires used"),
  answered_request: tableShape("principal key", "principal key digest status body at"),
  writing_projects: tableShape(
    "id",
    "id conversation owner title authors abstract language citation_style state version created changed deleted",
  ),
  writing_sections: tableShape(
    "project id",
    "project id parent position title label body summary state version changed",
  ),
  writing_references: tableShape("project key", "project key item verified origin quote"),
  writing_versions: tableShape("project n", "project n at by run op note changes"),
  library: tableShape("id", "id key item verified origin source added"),
  note: tableShape("id", "id conversation title text tags at"),
  source: tableShape("id", "id conversation url title fetched hash blob chars"),
};
