import { createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";
import { ed25519 } from "@noble/curves/ed25519.js";
import { bytesToNumberLE, numberToBytesLE } from "@noble/curves/utils.js";
import { sha512 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, hexToBytes } from "@noble/hashes/utils.js";
import { describe, expect, it } from "vitest";
import { verifyEd25519 } from "../src/ed25519.js";

const { Point } = ed25519;
const { Fn } = Point;

// RFC 8032, 7.1: tests 1 to 3.
const PUBLISHED = [
  {
    key: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
    message: "",
    signature:
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155" +
      "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
  },
  {
    key: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
    message: "72",
    signature:
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da" +
      "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
  },
  {
    key: "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
    message: "af82",
    signature:
      "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac" +
      "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
  },
].map(({ key, message, signature }) => ({
  key: hexToBytes(key),
  message: hexToBytes(message),
  signature: hexToBytes(signature),
}));

/** What OpenSSL says, by way of Node. */
function byOpenSsl(signature: Uint8Array, message: Uint8Array, key: Uint8Array): boolean {
  const x = btoa(String.fromCharCode(...key))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
  return verify(null, message, createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" }), signature);
}

describe("Ed25519", () => {
  it.each(PUBLISHED)("takes what RFC 8032 publishes", ({ signature, message, key }) => {
    expect(verifyEd25519(signature, message, key)).toBe(true);
  });

  it.each(PUBLISHED)("refuses it with any bit changed, as OpenSSL does", ({ signature, message, key }) => {
    for (let bit = 0; bit < 8 * 96; bit += 11) {
      const both = concatBytes(signature, key);
      both[bit >> 3] = (both[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const changed = [both.slice(0, 64), message, both.slice(64)] as const;
      expect(verifyEd25519(...changed)).toBe(false);
      expect(byOpenSsl(...changed)).toBe(false);
    }
    expect(verifyEd25519(signature, concatBytes(message, Uint8Array.of(0)), key)).toBe(false);
  });

  it.each(PUBLISHED)("refuses S + L, which is S to a careless reader", ({ signature, message, key }) => {
    const scalar = bytesToNumberLE(signature.subarray(32)) + Fn.ORDER;
    const malleable = concatBytes(signature.subarray(0, 32), numberToBytesLE(scalar, 32));
    expect(verifyEd25519(malleable, message, key)).toBe(false);
  });

  it("takes what OpenSSL signs, many times with one key", () => {
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    const key = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
    for (let index = 0; index < 30; index += 1) {
      const message = Uint8Array.of(index, 7);
      const signature = sign(null, message, privateKey);
      expect(verifyEd25519(signature, message, key)).toBe(true);
      expect(verifyEd25519(signature, Uint8Array.of(index, 8), key)).toBe(false);
      expect(verifyEd25519(signature, message, key)).toBe(true);
    }
  });

  it("refuses every key of small order, for which anybody can sign anything", () => {
    const torsion = Point.fromHex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a");
    const keys = Array.from({ length: 8 }, (_, multiple) => torsion.multiplyUnsafe(BigInt(multiple)).toBytes());
    expect(new Set(keys.map(bytesToHex)).size).toBe(8);
    const anything = concatBytes(Point.BASE.toBytes(), numberToBytesLE(1n, 32)); // R = B, S = 1: holds if k·A is 0
    for (const key of keys) {
      for (let message = 0; message < 16; message += 1) {
        expect(verifyEd25519(anything, Uint8Array.of(message), key)).toBe(false);
      }
    }
  });

  it.each([
    ["y = p", "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"],
    ["y = p + 1", "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"],
    ["x = 0 with a sign", "0100000000000000000000000000000000000000000000000000000000000080"],
    ["no point", "0200000000000000000000000000000000000000000000000000000000000000"],
  ])("refuses a key in no canonical encoding: %s", (_, key) => {
    const signature = concatBytes(Point.BASE.toBytes(), numberToBytesLE(1n, 32));
    expect(verifyEd25519(signature, new Uint8Array(), hexToBytes(key))).toBe(false);
  });

  it("refuses what only the equation with the cofactor takes", () => {
    const secret = 123456789n;
    const key = Point.BASE.multiply(secret).toBytes();
    const order2 = Point.fromHex("ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f");
    const message = Uint8Array.of(1, 2, 3);
    const nonce = Point.BASE.multiply(987654321n).add(order2).toBytes();
    const challenge = Fn.create(bytesToNumberLE(sha512(concatBytes(nonce, key, message))));
    const signature = concatBytes(nonce, numberToBytesLE(Fn.create(987654321n + challenge * secret), 32));
    expect(ed25519.verify(signature, message, key, { zip215: false })).toBe(true);
    expect(byOpenSsl(signature, message, key)).toBe(false);
    expect(verifyEd25519(signature, message, key)).toBe(false);
  });

  it("refuses signatures and keys of another length", () => {
    const [{ signature, message, key }] = PUBLISHED as [(typeof PUBLISHED)[number]];
    expect(verifyEd25519(signature.subarray(1), message, key)).toBe(false);
    expect(verifyEd25519(concatBytes(signature, Uint8Array.of(0)), message, key)).toBe(false);
    expect(verifyEd25519(signature, message, key.subarray(1))).toBe(false);
  });
});
