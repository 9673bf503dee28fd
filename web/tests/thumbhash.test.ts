// A decoded ThumbHash has about the colours of its picture: a gradient from orange to blue.
import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeThumbhash } from "../src/client/files/thumbhash";

const ORANGE = [220, 130, 60];
const BLUE = [60, 150, 200];
const MIDDLE = [140, 140, 130];

const PICTURES = [
  { hash: "YggCXZLj8vGIeHiHh4iHd4+H+IiI", width: 32, height: 23, from: [0, 0.5], to: [1, 0.5] },
  { hash: "YggCXBKH93f3eHj3ePiIj4j4iA==", width: 18, height: 32, from: [0.5, 0], to: [0.5, 1] },
] as const;

for (const { hash, width, height, from, to } of PICTURES) {
  test(`a picture of ${width} by ${height}`, () => {
    const pixels = decodeThumbhash(hash);
    assert.ok(pixels !== null);
    assert.deepEqual([pixels.width, pixels.height], [width, height]);
    const isLike = ([x, y]: readonly [number, number], wanted: number[]): void => {
      const start = (Math.floor(y * (height - 1)) * width + Math.floor(x * (width - 1))) * 4;
      const found = [...pixels.data.slice(start, start + 4)];
      const apart = Math.hypot(...wanted.map((value, n) => value - (found[n] ?? 0)));
      assert.ok(apart < 60, `${found} is not like ${wanted}`);
      assert.equal(found[3], 255);
    };
    isLike(from, ORANGE);
    isLike([0.5, 0.5], MIDDLE);
    isLike(to, BLUE);
  });
}

test("what is not a ThumbHash gives nothing", () => {
  for (const wrong of ["", "AA==", "not base64"]) assert.equal(decodeThumbhash(wrong), null);
});
