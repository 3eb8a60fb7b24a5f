/** What stands in a line of a paper ▸ runs, links and images of a Word document. */
import {
  ConcreteHyperlink,
  FootnoteReferenceRun,
  type IContext,
  ImageRun,
  InternalHyperlink,
  type IRunOptions,
  type IXmlableObject,
  type ParagraphChild,
  TextRun,
} from "docx";
import { citationPieces, crossReferenceText } from "../text/citation-text.ts";
import type { DocumentText, PaperDocument } from "../text/document.ts";
import { Figures } from "../text/images.ts";
import { isWebLink } from "../text/latex/index.ts";
import { type Block, type ImageInline, type Inline, plainText } from "../text/markdown/index.ts";
import type { Bookmarks } from "./places.ts";
import { codeFont } from "./styles.ts";

type RunLook = Pick<IRunOptions, "bold" | "italics" | "strike" | "style">;

/** Pixels between the margins. */
const widest = 600;
const highest = 800;

export class TextRuns {
  private readonly document: PaperDocument;
  private readonly places: Bookmarks;
  private readonly footnote: (blocks: readonly Block[], text: DocumentText) => number;
  private readonly figures: Figures;
  private current: DocumentText;
  private inNote = false;
  private links = 0;
  private images = 0;

  constructor(
    document: PaperDocument,
    places: Bookmarks,
    footnote: (blocks: readonly Block[], text: DocumentText) => number,
  ) {
    this.document = document;
    this.places = places;
    this.footnote = footnote;
    this.figures = new Figures(document.paper.images);
    this.current = document.abstract;
  }

  /** From here on notes are those of this text. */
  enter(text: DocumentText): void {
    this.current = text;
  }

  of(inlines: readonly Inline[], look: RunLook = {}): ParagraphChild[] {
    return inlines.flatMap((one) => this.inline(one, look));
  }

  text(words: string, look: RunLook = {}): ParagraphChild[] {
    const clean = legalRunText(words);
    return clean === "" ? [] : [new TextRun({ ...look, text: clean })];
  }

  /** Something that is shown as its source. */
  source(words: string, look: RunLook = {}): ParagraphChild[] {
    return [new TextRun({ ...look, text: legalRunText(words), font: codeFont })];
  }

  link(address: string, children: readonly ParagraphChild[]): ParagraphChild {
    this.links++;
    // As the library's own links out: one of the children that it writes.
    return new OutsideLink(children, `Link${this.links}`, address) as unknown as ParagraphChild;
  }

  /** Its words where the bytes are not there or are none of an image that Word shows. */
  image(image: ImageInline): ParagraphChild {
    const bytes = this.figures.bytes(image.path);
    const facts = bytes === undefined ? undefined : imageFacts(bytes);
    if (bytes === undefined || facts === undefined)
      return new TextRun({ text: legalRunText(`[image: ${image.path}]`), italics: true });
    const scale = Math.min(1, widest / facts.width, highest / facts.height);
    this.images++;
    return new ImageRun({
      type: facts.kind,
      data: bytes,
      transformation: {
        width: Math.max(1, Math.round(facts.width * scale)),
        height: Math.max(1, Math.round(facts.height * scale)),
      },
      altText: {
        id: String(this.images),
        name: `Image ${this.images}`,
        description: legalRunText(plainText(image.caption)),
      },
    });
  }

  private inline(inline: Inline, look: RunLook): readonly ParagraphChild[] {
    switch (inline.kind) {
      case "text":
      case "html":
        return this.text(inline.text, look);
      case "code_span":
        return this.source(inline.text, look);
      case "emphasis":
        return this.of(inline.children, { ...look, italics: true });
      case "strong":
        return this.of(inline.children, { ...look, bold: true });
      case "strike":
        return this.of(inline.children, { ...look, strike: true });
      case "break":
        return [new TextRun({ break: 1 })];
      case "link":
        return isWebLink(inline.href)
          ? [this.link(inline.href, this.of(inline.children, { ...look, style: "Hyperlink" }))]
          : this.of(inline.children, look);
      case "image":
        return [this.image(inline)];
      case "math": {
        const marks = inline.display ? "$$" : "$";
        return this.source(marks + inline.tex + marks, look);
      }
      case "note_reference":
        return this.note(inline.label, look);
      case "citation":
        return citationPieces(inline, this.document).flatMap(({ text, key }) =>
          this.within(key === undefined ? undefined : this.places.reference(key), this.text(text, look)),
        );
      case "cross_reference": {
        const { to, label } = inline;
        const words = this.text(crossReferenceText(inline, this.document), look);
        return this.within(to === "sec" ? this.places.section(label) : this.places.figure(label), words);
      }
    }
  }

  private within(place: string | undefined, children: readonly ParagraphChild[]): readonly ParagraphChild[] {
    return place === undefined ? children : [new InternalHyperlink({ anchor: place, children })];
  }

  /** Word has no notes in notes: one that is mentioned in a note stays as it was written. */
  private note(label: string, look: RunLook): readonly ParagraphChild[] {
    const blocks = this.current.notes.get(label);
    if (blocks === undefined || this.inNote) return this.text(`[^${label}]`, look);
    this.inNote = true;
    try {
      return [new FootnoteReferenceRun(this.footnote(blocks, this.current))];
    } finally {
      this.inNote = false;
    }
  }
}

/** Characters that XML has no place for are dropped, halves of others replaced. */
export const legalRunText = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is dropped
  text.toWellFormed().replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]/g, "");

type ImageKind = "png" | "jpg" | "gif" | "bmp";

interface ImageFacts {
  readonly kind: ImageKind;
  readonly width: number;
  readonly height: number;
}

/** Width and height of an image in pixels, from its first bytes. undefined: no image that Word shows, or a damaged one. */
export function imageFacts(bytes: Uint8Array): ImageFacts | undefined {
  const facts = sizeOf(bytes);
  return facts !== undefined && facts.width > 0 && facts.height > 0 ? facts : undefined;
}

function sizeOf(bytes: Uint8Array): ImageFacts | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const begins = (...start: readonly number[]): boolean => start.every((byte, at) => bytes[at] === byte);
  if (begins(0x89, 0x50, 0x4e, 0x47) && bytes.length >= 24)
    return { kind: "png", width: view.getUint32(16), height: view.getUint32(20) };
  if (begins(0x47, 0x49, 0x46, 0x38) && bytes.length >= 10)
    return { kind: "gif", width: view.getUint16(6, true), height: view.getUint16(8, true) };
  if (begins(0x42, 0x4d) && bytes.length >= 26)
    return {
      kind: "bmp",
      width: Math.abs(view.getInt32(18, true)),
      height: Math.abs(view.getInt32(22, true)),
    };
  return begins(0xff, 0xd8) ? jpegSize(view) : undefined;
}

/** Goes from segment to segment until one that begins a frame. */
function jpegSize(view: DataView): ImageFacts | undefined {
  let at = 2;
  while (at + 9 <= view.byteLength) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    // Tables of Huffman codes, arithmetic conditioning and JPEG extensions lie among the frames' markers.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { kind: "jpg", width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

/** A link out of the document. The library names its relationships at random; these are counted. */
const relationship = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink";

class OutsideLink extends ConcreteHyperlink {
  private readonly address: string;

  constructor(children: readonly ParagraphChild[], name: string, address: string) {
    super(children, name);
    this.address = address;
  }

  override prepForXml(context: IContext): IXmlableObject | undefined {
    context.viewWrapper.Relationships.addRelationship(this.linkId, relationship, this.address, "External");
    return super.prepForXml(context);
  }
}
