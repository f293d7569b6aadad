// Bundles the sources into dist/; the packages stay outside, where npm put them.
import { build } from 'esbuild';

export const bundle = () =>
  build({
    entryPoints: { aliquot: new URL('../src/cli/aliquot.ts', import.meta.url).pathname },
    outdir: new URL('../dist', import.meta.url).pathname,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    logLevel: 'warning',
  });

await bundle();
