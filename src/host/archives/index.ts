/** Archives of files: tar and zip, read and written. */
export { BrokenArchive, readTar, TarReader, writeTar } from "./tar.ts";
export { type ArchiveEntry, readZip, writeZip, type ZipMember, ZipPacker, zipMembers } from "./zip.ts";
