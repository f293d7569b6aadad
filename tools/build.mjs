// Bundles the sources into dist/; the packages stay outside, where npm put them. A command reads only the parts that it
// needs, so that one that asks a running service does not load the service first.
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { withoutSpreadFirst } from './spread-first.mjs';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const PART = /^part-\w+\.js(\.map)?$/;

export async function bundle(outdir = path('../dist')) {
  const { outputFiles } = await build({
    entryPoints: {
      aliquot: path('../src/cli/aliquot.ts'),
      // Reads lab reports in a process of its own.
      'lab-report-reader': path('../src/lab-reports/work/child.ts'),
      // Decodes FIT files in a thread of its own.
      'fit-decoder': path('../src/wearables/files/fit/thread.ts'),
      // Signs webhooks in a thread of its own.
      'webhook-signer': path('../src/webhooks/signing/thread.ts'),
    },
    outdir,
    bundle: true,
    splitting: true,
    chunkNames: 'part-[hash]',
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    write: false,
    logLevel: 'warning',
  });
  await mkdir(outdir, { recursive: true });
  const made = new Set(outputFiles.map(({ path: file }) => basename(file)));
  await Promise.all(
    outputFiles.map((file) => writeFile(join(outdir, basename(file.path)), contentsOf(file))),
  );
  // Parts are named by what they hold: those of other sources stay behind.
  const left = (await readdir(outdir)).filter((file) => PART.test(file) && !made.has(file));
  await Promise.all(left.map((file) => rm(join(outdir, file), { force: true })));
}

const contentsOf = ({ path: file, text, contents }) =>
  file.endsWith('.js') ? withoutSpreadFirst(text) : contents;

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle();
