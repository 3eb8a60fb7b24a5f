/** Archives of files: tar and zip, read and written. */
export { BrokenArchive, TarReader, tarEntries, writeTar } from "./tar.ts";
export { type ArchiveEntry, writeZip, type ZipMember, ZipPacker, zipEntries, zipMembers } from "./zip.ts";
