/**
 * From Node's errors to `HostError`s with the operating system's own words. Node says `ENOENT: no such file or
 * directory, open 'x'`; people know `No such file or directory (os error 2)`, and the path is in the text around it.
 */
import { HostError } from "../ports.ts";

/** Words of strerror(3), and the Linux number for errors that come without one. */
const known: Readonly<Record<string, readonly [number, string]>> = {
  EPERM: [1, "Operation not permitted"],
  ENOENT: [2, "No such file or directory"],
  EIO: [5, "Input/output error"],
  E2BIG: [7, "Argument list too long"],
  ENOEXEC: [8, "Exec format error"],
  EBADF: [9, "Bad file descriptor"],
  EAGAIN: [11, "Resource temporarily unavailable"],
  ENOMEM: [12, "Cannot allocate memory"],
  EACCES: [13, "Permission denied"],
  EBUSY: [16, "Device or resource busy"],
  EEXIST: [17, "File exists"],
  EXDEV: [18, "Invalid cross-device link"],
  ENOTDIR: [20, "Not a directory"],
  EISDIR: [21, "Is a directory"],
  EINVAL: [22, "Invalid argument"],
  ENFILE: [23, "Too many open files in system"],
  EMFILE: [24, "Too many open files"],
  ETXTBSY: [26, "Text file busy"],
  EFBIG: [27, "File too large"],
  ENOSPC: [28, "No space left on device"],
  EROFS: [30, "Read-only file system"],
  EPIPE: [32, "Broken pipe"],
  ENAMETOOLONG: [36, "File name too long"],
  ENOTEMPTY: [39, "Directory not empty"],
  ELOOP: [40, "Too many levels of symbolic links"],
  EDQUOT: [122, "Disk quota exceeded"],
};

/** Texts of errors that Node raises itself, before asking the system. */
const ofNode: Readonly<Record<string, readonly [string, string]>> = {
  ERR_INVALID_ARG_VALUE: ["EINVAL", "file name contained an unexpected NUL byte"],
  ERR_FS_FILE_TOO_LARGE: ["EFBIG", "file is too large to be read at once"],
  ERR_STRING_TOO_LONG: ["EFBIG", "file is too large for one string"],
  // A directory copied onto a file and the like: `rm` and `cp` check such things themselves.
  ERR_FS_EISDIR: ["EISDIR", "Is a directory (os error 21)"],
  ERR_FS_CP_EINVAL: ["EINVAL", "Invalid argument (os error 22)"],
  ERR_FS_CP_DIR_TO_NON_DIR: ["EISDIR", "Is a directory (os error 21)"],
  ERR_FS_CP_NON_DIR_TO_DIR: ["EISDIR", "Is a directory (os error 21)"],
};

/** The `HostError` for whatever a Node call threw. */
export function hostError(error: unknown): HostError {
  if (error instanceof HostError) return error;
  const { code, errno, message } = (error ?? {}) as { code?: unknown; errno?: unknown; message?: unknown };
  const name = typeof code === "string" ? code : "EIO";
  const own = ofNode[name];
  if (own !== undefined) return new HostError(own[0], own[1]);
  const words = known[name];
  if (words === undefined) return new HostError(name, typeof message === "string" ? message : String(error));
  const number = typeof errno === "number" && errno < 0 && errno > -4000 ? -errno : words[0];
  return new HostError(name, `${words[1]} (os error ${number})`);
}

/** The error of one code, for hosts that are not Node. */
export function systemError(code: string): HostError {
  return hostError({ code });
}
