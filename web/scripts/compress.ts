import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

// Compresses at build time with the highest level, so that the server only sends files.
function compress(dist: string): void {
  const files = globSync('**/*.{html,js,css,svg,json,webmanifest,txt}', { cwd: dist });
  let before = 0;
  let after = 0;
  for (const file of files) {
    const content = readFileSync(dist + file);
    const brotli = brotliCompressSync(content, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    });
    writeFileSync(`${dist}${file}.br`, brotli);
    writeFileSync(`${dist}${file}.gz`, gzipSync(content, { level: 9 }));
    before += content.length;
    after += brotli.length;
  }
  console.log(`compressed ${files.length} files: ${before} bytes to ${after} (brotli)`);
}

for (const folder of ['../dist/', '../dist-mod/']) compress(fileURLToPath(new URL(folder, import.meta.url)));
