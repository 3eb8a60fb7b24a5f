/** The dates of the files in a zip: the first day that the format knows, so that an export is a function of its paper. */

const localHeader = 0x04034b50;
const centralHeader = 0x02014b50;
const end = 0x06054b50;
/** 1 January 1980, as DOS wrote dates. */
const firstDay = 0x0021;

/** Changes the bytes that it is given, and gives them back. For archives without comment, as the library writes them. */
export function withoutDates(zip: Uint8Array): Uint8Array {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  const last = zip.length - 22;
  if (last < 0 || view.getUint32(last, true) !== end)
    throw new Error("the archive does not end as a zip does");
  const set = (at: number): void => {
    view.setUint16(at, 0, true);
    view.setUint16(at + 2, firstDay, true);
  };
  let at = view.getUint32(last + 16, true);
  for (let left = view.getUint16(last + 10, true); left > 0; left--) {
    if (view.getUint32(at, true) !== centralHeader) throw new Error("the directory of the zip is damaged");
    const file = view.getUint32(at + 42, true);
    if (view.getUint32(file, true) !== localHeader) throw new Error("a file of the zip is damaged");
    set(at + 12);
    set(file + 10);
    at += 46 + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return zip;
}
