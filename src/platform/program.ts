import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const builds = new Map<string, Promise<string>>();

/** A program of ours that runs next to the service, in its own process or thread. */
export interface BundledProgram {
  /** Its name in tools/build.mjs. */
  readonly name: string;
  /** Its path in the source tree. */
  readonly source: string;
}

/**
 * Returns the path of the program. The bundle of the service contains it; when running from the sources, it is built on
 * first use, as `npm run build` would build it.
 */
export function locateProgram({ name, source }: BundledProgram): Promise<string> {
  const here = import.meta.url;
  if (!here.endsWith('.ts')) return Promise.resolve(fileURLToPath(new URL(`${name}.js`, here)));
  const making = builds.get(name) ?? bundle(new URL('../../', here), { name, source });
  builds.set(name, making);
  return making;
}

async function bundle(root: URL, { name, source }: BundledProgram): Promise<string> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(source, root))],
    write: false,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'silent',
  });
  const bytes = outputFiles[0]?.contents ?? new Uint8Array();
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  const folder = new URL('node_modules/.cache/aliquot/', root);
  await mkdir(folder, { recursive: true });
  const path = fileURLToPath(new URL(`${name}-${digest}.mjs`, folder));
  // Another process or thread may build the same file at the same time, so it is written aside and renamed.
  const half = `${path}.${randomUUID()}`;
  await writeFile(half, bytes);
  await rename(half, path);
  return path;
}
