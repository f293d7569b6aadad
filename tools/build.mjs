// Bundles the sources into dist/; the packages stay outside, where npm put them.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

export const bundle = (outdir = path('../dist')) =>
  build({
    entryPoints: {
      aliquot: path('../src/cli/aliquot.ts'),
      // Reads lab reports in a process of its own.
      'lab-report-reader': path('../src/lab-reports/work/child.ts'),
      // Decodes FIT files in a thread of its own.
      'fit-decoder': path('../src/wearables/files/fit/thread.ts'),
    },
    outdir,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    logLevel: 'warning',
  });

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle();
