/** Archives of files: tar and zip, read and written. */
export * from "./tar.ts";
export * from "./zip.ts";
