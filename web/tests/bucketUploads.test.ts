// The tests of uploads.test.ts with a bucket: the client has one code for both protocols.
import { test } from "node:test";
import { blobs } from "./testServer";

/** As tests/conftest.py names it. */
const bucket = process.env["GREENROOM_TEST_SEAWEEDFS"];
if (bucket === undefined) {
  test("uploads to a bucket", { skip: "GREENROOM_TEST_SEAWEEDFS is not set" }, () => undefined);
} else {
  blobs.url = bucket;
  await import("./uploads.test");
}
