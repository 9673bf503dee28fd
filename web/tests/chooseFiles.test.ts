// Which of the chosen files can be sent.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseFiles } from "../src/client/files/chooseFiles";

const LIMITS = { bytes: 60, files: 1, quotaBytes: 100, maxFileBytes: 30, filesPerMessage: 3 };

function file(name: string, size: number): File {
  return new File([new Uint8Array(size)], name);
}

function chosen(given: File[], attached = 0, limits: typeof LIMITS | null = LIMITS): [string[], string[]] {
  const { accepted, refused } = chooseFiles(given, attached, limits);
  return [accepted.map(({ name }) => name), refused.map((one) => `${one.file.name} ${one.reason}`)];
}

test("files are refused for their size, their number and the room that is left", () => {
  const given = [file("none", 0), file("large", 31), file("a", 30), file("b", 11), file("c", 10)];
  assert.deepEqual(chosen(given), [["a", "c"], ["none empty", "large too-large", "b no-room"]]);
  assert.deepEqual(chosen([file("a", 1), file("b", 1), file("c", 1)], 2), [["a"], ["b too-many"]]);
  assert.equal(chooseFiles([file("a", 30)], 0, LIMITS).room, 10);
});

test("without limits ten files of any size are accepted", () => {
  const given = Array.from({ length: 11 }, (_, n) => file(`${n}`, 1000));
  const [accepted, refused] = chosen(given, 0, null);
  assert.equal(accepted.length, 10);
  assert.deepEqual(refused, ["10 too-many"]);
});
