/**
 * Files that come with what a person says. Texts stand after the words, each in an element that names its file; pictures are
 * blocks of the message. A model that sees no pictures is told that there are some.
 */
import type { ContentBlock, ModelMessage } from "../../model/index.ts";

/** A file, read: its text, or the bytes of a picture; neither when it is not there any more. */
export interface Attachment {
  /** Relative to the folder that the person works in. */
  readonly path: string;
  readonly text?: string;
  readonly base64?: string;
  /** Of a picture: `image/png`. */
  readonly media_type?: string;
}

/** The words with the texts that come with them. */
export const wordsWith = (words: string, attached: readonly Attachment[]): string =>
  [words, ...attached.flatMap((one) => (one.base64 === undefined ? [attachmentText(one)] : []))].join("\n\n");

/** The message of a person. */
export function spoken(
  words: string,
  attached: readonly Attachment[] | undefined,
  seesPictures: boolean,
): ModelMessage {
  if (attached === undefined || attached.length === 0) return { role: "user", content: words };
  const text = wordsWith(words, attached);
  const pictures = attached.filter(({ base64 }) => base64 !== undefined);
  if (pictures.length === 0) return { role: "user", content: text };
  if (!seesPictures) {
    const unseen = pictures.map(
      ({ path }) => `[${path}: an attached picture, which this model does not see]`,
    );
    return { role: "user", content: [text, ...unseen].join("\n\n") };
  }
  const blocks = pictures.map(
    ({ base64 = "", media_type = "image/png" }): ContentBlock => ({ type: "image", base64, media_type }),
  );
  return { role: "user", content: [{ type: "text", text }, ...blocks] };
}

function attachmentText({ path, text }: Attachment): string {
  if (text === undefined) return `[${path}: an attached file that is not there any more]`;
  return `<context uri="${path.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}">\n${text}\n</context>`;
}
