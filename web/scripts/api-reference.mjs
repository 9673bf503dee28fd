// Fetches the API reference's bundle, checks its hash and puts it into the build.
//
// The package is not a dependency, because it would install 260 others that are already in the bundle.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const web = fileURLToPath(new URL("..", import.meta.url));
const { name, version, integrity, file } = JSON.parse(readFileSync(join(web, "package.json"), "utf8")).apiReference;
const cached = join(web, "node_modules", ".api-reference", `${version}.js`);

if (!existsSync(cached)) fetchBundle();
const assets = join(web, "..", "greenroom", "api", "web", "built", "assets");
mkdirSync(assets, { recursive: true });
copyFileSync(cached, join(assets, `api-reference-${version}.js`));

function fetchBundle() {
  const folder = mkdtempSync(join(tmpdir(), "api-reference-"));
  try {
    execFileSync("npm", ["pack", `${name}@${version}`, "--silent", "--ignore-scripts"], { cwd: folder, stdio: "pipe" });
    const archive = join(folder, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`);
    const found = `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
    if (found !== integrity) throw new Error(`${name}@${version} is not the package that package.json names: ${found}`);
    execFileSync("tar", ["-xzf", archive, `package/${file}`], { cwd: folder });
    mkdirSync(join(cached, ".."), { recursive: true });
    copyFileSync(join(folder, "package", file), cached);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
