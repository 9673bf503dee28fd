// The checksum of a file, in pieces: test vectors, and the same as Node's for any length and any pieces.
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { hashFile, hashInPieces } from "../src/client/files/hash";
import { Sha256 } from "../src/client/files/sha256";

const text = (letters: string): Uint8Array => new TextEncoder().encode(letters);
const expected = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

test("the vectors of FIPS 180-4", () => {
  const vectors = {
    "": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    abc: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq:
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
  };
  for (const [given, digest] of Object.entries(vectors)) {
    assert.equal(new Sha256().update(text(given)).hex(), digest);
  }
});

test("every length around the block size, in pieces of any size", () => {
  for (let length = 0; length < 200; length++) {
    const bytes = randomBytes(length);
    const hash = new Sha256();
    for (let at = 0; at < length; ) {
      const piece = 1 + Math.floor(Math.random() * 80);
      hash.update(bytes.subarray(at, at + piece));
      at += piece;
    }
    assert.equal(hash.hex(), expected(bytes), `${length} bytes`);
  }
});

test("a file larger than a piece, with its progress", async () => {
  const bytes = randomBytes(9_000_001);
  const seen: number[] = [];
  const hash = await hashFile(new Blob([bytes]), { onprogress: (read) => seen.push(read) });
  assert.equal(hash, expected(bytes));
  assert.equal(seen.at(-1), bytes.length);
  assert.ok(seen.length >= 3);
});

test("an aborted hash rejects", async () => {
  const stop = new AbortController();
  const hashing = hashInPieces(new Blob([randomBytes(9_000_000)]), {
    signal: stop.signal,
    onprogress: () => stop.abort(),
  });
  await assert.rejects(hashing, { name: "AbortError" });
});
