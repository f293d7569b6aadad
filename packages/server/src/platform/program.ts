import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { isAbsolute, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';

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

/** Bundles the packages of this repository as tools/builds does, and leaves those in node_modules where they are. */
const bundleWorkspacePackages: Plugin = {
  name: 'bundle-workspace-packages',
  setup: (build) =>
    build.onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
      if (kind === 'entry-point') return undefined;
      const file = resolvePackage(path);
      return file && !file.includes(`${sep}node_modules${sep}`) ? { path: file } : { path, external: true };
    }),
};

/** Undefined for what Node provides, and for a package that exports nothing for require. */
function resolvePackage(name: string): string | undefined {
  try {
    const file = createRequire(import.meta.url).resolve(name);
    return isAbsolute(file) ? file : undefined;
  } catch {
    return undefined;
  }
}

async function bundle(root: URL, { name, source }: BundledProgram): Promise<string> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(source, root))],
    write: false,
    bundle: true,
    plugins: [bundleWorkspacePackages],
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
