/** JSON as it travels. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** A text beyond 16 KiB: its beginning, and the name under which `GET …/blobs/{ref}` has all of it. */
export interface TextRef {
  readonly ref: string;
  /** Of the whole text in UTF-8. */
  readonly bytes: number;
  readonly head: string;
}

/** A text of an event. */
export type EventText = string | TextRef;

/** Whether a part of an event's data stands for a long text. */
export const isTextRef = (value: Json | EventText | undefined): value is TextRef =>
  typeof value === "object" &&
  value !== null &&
  "ref" in value &&
  typeof value.ref === "string" &&
  typeof (value as Partial<TextRef>).bytes === "number" &&
  typeof (value as Partial<TextRef>).head === "string";

/** What can be shown of a text without another request. */
export const headOfText = (text: EventText): string => (typeof text === "string" ? text : text.head);
