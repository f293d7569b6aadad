// Bundles the sources into dist/; the packages stay outside, where npm put them. A command reads only the parts that it
// needs, so that one that asks a running service does not load the service first.
import { readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const PART = /^part-\w+\.js(\.map)?$/;

export async function bundle(outdir = path('../dist')) {
  const { metafile } = await build({
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
    metafile: true,
    logLevel: 'warning',
  });
  // Parts are named by what they hold: those of other sources stay behind.
  const made = new Set(Object.keys(metafile.outputs).map((file) => basename(file)));
  const left = (await readdir(outdir)).filter((file) => PART.test(file) && !made.has(file));
  await Promise.all(left.map((file) => rm(join(outdir, file), { force: true })));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle();
