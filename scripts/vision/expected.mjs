// Prints what nsfwjs itself says about pictures, to compare the ONNX model with: raw RGB files of
// 224x224 pixels. In an empty folder:
//   npm install nsfwjs@4.3.0 @tensorflow/tfjs@4.22.0 buffer@6
//   node …/expected.mjs picture.rgb …
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(`${process.cwd()}/`);
const tf = require("@tensorflow/tfjs");
const nsfwjs = require("nsfwjs");

console.info = () => {};
await tf.setBackend("cpu");
const model = await nsfwjs.load("MobileNetV2");
for (const path of process.argv.slice(2)) {
	const picture = tf.tensor3d(new Uint8Array(readFileSync(path)), [224, 224, 3], "int32");
	const found = await model.classify(picture);
	const labels = found.map((one) => [one.className.toLowerCase(), Number(one.probability.toFixed(6))]);
	console.log(path, JSON.stringify(Object.fromEntries(labels.sort())));
}
