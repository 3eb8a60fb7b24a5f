/** Node's hashes, signatures and key agreement; the module that has them is loaded at the first use. */
import type { KeyObject } from "node:crypto";
import { type Crypto, type Curve, HostError, type JwtAlgorithm } from "../ports.ts";
import { selfSignedCertificate } from "./self-signed.ts";

function cryptoModule(): typeof import("node:crypto") {
  return process.getBuiltinModule("node:crypto");
}

/** What stands before the 32 raw bytes in PKCS #8 and SPKI; the curves differ in the last byte of their identifier. */
const curveByte: Readonly<Record<Curve, number>> = { ed25519: 0x70, x25519: 0x6e };
const pkcs8 = (curve: Curve): number[] => [
  0x30,
  0x2e,
  2,
  1,
  0,
  0x30,
  5,
  6,
  3,
  0x2b,
  0x65,
  curveByte[curve],
  4,
  0x22,
  4,
  0x20,
];
const spki = (curve: Curve): number[] => [
  0x30,
  0x2a,
  0x30,
  5,
  6,
  3,
  0x2b,
  0x65,
  curveByte[curve],
  3,
  0x21,
  0,
];

function privateKey(curve: Curve, raw: Uint8Array): KeyObject {
  const key = Buffer.from([...pkcs8(curve), ...raw]);
  return cryptoModule().createPrivateKey({ key, format: "der", type: "pkcs8" });
}

function publicKey(curve: Curve, raw: Uint8Array): KeyObject {
  return cryptoModule().createPublicKey({
    key: Buffer.from([...spki(curve), ...raw]),
    format: "der",
    type: "spki",
  });
}

/** The key of a PEM text, checked to be of the kind that the algorithm needs. */
function pemKey(algorithm: JwtAlgorithm, pem: string, which: "private" | "public"): KeyObject {
  let key: KeyObject;
  try {
    key = which === "private" ? cryptoModule().createPrivateKey(pem) : cryptoModule().createPublicKey(pem);
  } catch {
    // Node's own text may quote parts of what it was given.
    throw new HostError("EINVAL", `this is no ${which} key in PEM form`);
  }
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  const fits = algorithm === "RS256" ? type === "rsa" : type === "ec" && details?.namedCurve === "prime256v1";
  if (!fits)
    throw new HostError(
      "EINVAL",
      `the key is of type ${type}, not ${algorithm === "RS256" ? "RSA" : "EC P-256"}`,
    );
  return key;
}

export const nodeCrypto: Crypto = {
  hash: (algorithm, data) => cryptoModule().hash(algorithm, data, "buffer"),
  digest: (text) => cryptoModule().hash("sha256", text),
  hmac: (algorithm, key, data) => cryptoModule().createHmac(algorithm, key).update(data).digest(),
  randomBytes: (count) => new Uint8Array(cryptoModule().randomBytes(count)),
  publicKey: (curve, raw) => {
    const key = cryptoModule().createPublicKey(privateKey(curve, raw));
    return new Uint8Array(key.export({ format: "der", type: "spki" })).subarray(spki(curve).length);
  },
  sign: (key, message) => cryptoModule().sign(null, message, privateKey("ed25519", key)),
  verify: (key, message, signature) =>
    cryptoModule().verify(null, message, publicKey("ed25519", key), signature),
  agree: (key, peer) => {
    try {
      return cryptoModule().diffieHellman({
        privateKey: privateKey("x25519", key),
        publicKey: publicKey("x25519", peer),
      });
    } catch {
      throw new HostError("EINVAL", "the other side's public key is not one that can be used");
    }
  },
  signJwt: (algorithm, pem, data) =>
    cryptoModule().sign("sha256", data, {
      key: pemKey(algorithm, pem, "private"),
      dsaEncoding: "ieee-p1363",
    }),
  verifyJwt: (algorithm, pem, data, signature) =>
    cryptoModule().verify(
      "sha256",
      data,
      { key: pemKey(algorithm, pem, "public"), dsaEncoding: "ieee-p1363" },
      signature,
    ),
  selfSigned: selfSignedCertificate,
};
