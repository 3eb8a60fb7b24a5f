/**
 * From Node's errors to `HostError`s. Node says `ENOENT: no such file or directory, open 'x'`; the path is in the text
 * around it, and its number tells people nothing.
 */
import { HostError } from "../ports.ts";

/** What the system says, in small letters: it stands after a colon. */
const known: Readonly<Record<string, string>> = {
  EPERM: "operation not permitted",
  ENOENT: "no such file or folder",
  EIO: "input/output error",
  ENXIO: "is a socket, or a pipe that nobody reads",
  E2BIG: "argument list too long",
  ENOEXEC: "exec format error",
  EBADF: "bad file descriptor",
  EAGAIN: "resource temporarily unavailable",
  ENOMEM: "cannot allocate memory",
  EACCES: "permission denied",
  EBUSY: "device or resource busy",
  EEXIST: "file exists",
  EXDEV: "invalid cross-device link",
  ENOTDIR: "not a directory",
  EISDIR: "is a directory",
  EINVAL: "invalid argument",
  ENFILE: "too many open files in system",
  EMFILE: "too many open files",
  ETXTBSY: "text file busy",
  EFBIG: "file too large",
  ENOSPC: "no space left on device",
  EROFS: "read-only file system",
  EPIPE: "broken pipe",
  ENAMETOOLONG: "file name too long",
  ENOTEMPTY: "directory not empty",
  ELOOP: "too many levels of symbolic links",
  EDQUOT: "disk quota exceeded",
};

/** Texts of errors that Node raises itself, before asking the system. */
const ofNode: Readonly<Record<string, readonly [string, string]>> = {
  ERR_INVALID_ARG_VALUE: ["EINVAL", "file name contained an unexpected NUL byte"],
  ERR_FS_FILE_TOO_LARGE: ["EFBIG", "file is too large to be read at once"],
  ERR_STRING_TOO_LONG: ["EFBIG", "file is too large for one string"],
  // A directory copied onto a file and the like: `rm` and `cp` check such things themselves.
  ERR_FS_EISDIR: ["EISDIR", "is a directory"],
  ERR_FS_CP_EINVAL: ["EINVAL", "invalid argument"],
  ERR_FS_CP_DIR_TO_NON_DIR: ["EISDIR", "is a directory"],
  ERR_FS_CP_NON_DIR_TO_DIR: ["EISDIR", "is a directory"],
};

/** The `HostError` for whatever a Node call threw. */
export function hostError(error: unknown): HostError {
  if (error instanceof HostError) return error;
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const name = typeof code === "string" ? code : "EIO";
  const own = ofNode[name];
  if (own !== undefined) return new HostError(own[0], own[1]);
  return new HostError(name, known[name] ?? (typeof message === "string" ? message : String(error)));
}

/** The error of one code, for hosts that are not Node. */
export function systemError(code: string): HostError {
  return hostError({ code });
}
