/** Compression by Node's zlib, with a limit on what comes out: a few bytes may stand for gigabytes. */
import { type Compression, type CompressionFormat, HostError } from "../ports.ts";

function zlib(): typeof import("node:zlib") {
  return process.getBuiltinModule("node:zlib");
}

function compressData(format: CompressionFormat, data: Uint8Array, level?: number): Uint8Array {
  const { constants } = zlib();
  switch (format) {
    case "gzip":
      return zlib().gzipSync(data, { level: level ?? 6 });
    case "deflate":
      return zlib().deflateRawSync(data, { level: level ?? 6 });
    case "zstd":
      return zlib().zstdCompressSync(data, { params: { [constants.ZSTD_c_compressionLevel]: level ?? 3 } });
    case "brotli":
      return zlib().brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_QUALITY]: level ?? 11 } });
  }
}

function decodeBytes(format: CompressionFormat, data: Uint8Array, maxBytes: number): Uint8Array {
  // Zero means "no limit" to zlib.
  const options = { maxOutputLength: Math.max(1, maxBytes) };
  try {
    switch (format) {
      case "gzip":
        return zlib().gunzipSync(data, options);
      case "deflate":
        return zlib().inflateRawSync(data, options);
      case "zstd":
        return zlib().zstdDecompressSync(data, options);
      case "brotli":
        return zlib().brotliDecompressSync(data, options);
    }
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === "ERR_BUFFER_TOO_LARGE") throw new HostError("EFBIG", `output exceeds ${maxBytes} bytes`);
    throw new HostError(code ?? "EINVAL", message === "" ? "invalid data" : message);
  }
}

export const nodeCompression: Compression = {
  encode: compressData,
  decode: decodeBytes,
  crc32: (data) => zlib().crc32(data),
};
