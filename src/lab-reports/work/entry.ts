import { createHash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const BUNDLED = 'lab-report-reader.js';
let built: Promise<string> | undefined;

/**
 * The program of a worker process. The bundle of the service has it beside itself; who runs from the sources gets one
 * made when the first file comes, as `npm run build` would make it.
 */
export function entryOf(root: URL): Promise<string> {
  if (!import.meta.url.endsWith('.ts'))
    return Promise.resolve(fileURLToPath(new URL(`dist/${BUNDLED}`, root)));
  return (built ??= bundle(root));
}

async function bundle(root: URL): Promise<string> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('child.ts', import.meta.url))],
    write: false,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'silent',
  });
  const bytes = outputFiles[0]?.contents ?? new Uint8Array();
  const name = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  const folder = new URL('node_modules/.cache/aliquot/', root);
  await mkdir(folder, { recursive: true });
  const path = fileURLToPath(new URL(`reader-${name}.mjs`, folder));
  // Others may make the same one at the same time.
  const half = `${path}.${process.pid}`;
  await writeFile(half, bytes);
  await rename(half, path);
  return path;
}
