/** Width and height of an image in pixels, from its first bytes. */

export type ImageKind = "png" | "jpg" | "gif" | "bmp";

export interface ImageFacts {
  readonly kind: ImageKind;
  readonly width: number;
  readonly height: number;
}

/** undefined: no image that Word shows, or a damaged one. */
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
