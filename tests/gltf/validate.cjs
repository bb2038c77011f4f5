// Runs the Khronos validator over glTF files: node validate.cjs FILE...
// Prints what it finds; exit 1 where anything is, warnings and hints among it.
"use strict";
const fs = require("fs");
const validator = require("gltf-validator");

async function main(files) {
  let findings = 0;
  for (const file of files) {
    const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {
      uri: file,
      format: "gltf",
      maxIssues: 20,
    });
    const { numErrors, numWarnings, numInfos, numHints, messages } = report.issues;
    for (const m of messages) console.log(`${file}: ${m.code} at ${m.pointer ?? "-"}: ${m.message}`);
    findings += numErrors + numWarnings + numInfos + numHints;
    console.log(
      `${file}: ${numErrors} errors, ${numWarnings} warnings, ${numInfos} infos, ${numHints} hints; ` +
        `${report.info.drawCallCount} draw calls, ${report.info.totalTriangleCount} triangles`,
    );
  }
  return findings ? 1 : 0;
}

main(process.argv.slice(2)).then(
  (status) => process.exit(status),
  (error) => {
    console.error(String(error));
    process.exit(2);
  },
);
