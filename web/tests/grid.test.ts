// The grid of pictures: all of them in their order, in rows of one to three, and no row much higher than others.
import assert from "node:assert/strict";
import { test } from "node:test";
import { rowsOf, shapeOf } from "../src/files/grid";

const picture = (w: number, h: number): { w: number; h: number } => ({ w, h });
const square = picture(100, 100);
const wide = picture(300, 200);
const tall = picture(200, 300);
const counts = (pictures: { w: number; h: number }[]): number[] => rowsOf(pictures).map((row) => row.length);

test("all pictures are there, in their order", () => {
  for (let count = 0; count <= 10; count++) {
    const all = Array.from({ length: count }, (_, n) => picture(100 + 37 * n, 300 - 20 * n));
    assert.deepEqual(rowsOf(all).flat(), all);
    assert.ok(rowsOf(all).every((row) => row.length >= 1 && row.length <= 3));
  }
});

test("rows are of similar height", () => {
  assert.deepEqual(counts([square]), [1]);
  assert.deepEqual(counts([square, square, square, square]), [2, 2]);
  assert.deepEqual(counts([wide, tall, wide, square]), [2, 2]);
  assert.deepEqual(counts([tall, tall, tall]), [3]);
  assert.deepEqual(counts(Array.from({ length: 6 }, () => tall)), [3, 3]);
});

test("shapes have limits, and unknown sizes are square", () => {
  assert.equal(shapeOf(picture(10_000, 1)), 2.6);
  assert.equal(shapeOf(picture(1, 10_000)), 0.6);
  assert.equal(shapeOf(picture(0, 0)), 1);
});
