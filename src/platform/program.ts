import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const built = new Map<string, Promise<string>>();

/** A program of ours that runs beside the service, in a process or thread of its own. */
export interface Program {
  /** As tools/build.mjs calls it. */
  readonly name: string;
  /** Its file in the sources. */
  readonly source: string;
}

/**
 * Where it lies. The bundle of the service has it beside itself; who runs from the sources gets one made when it is first
 * wanted, as `npm run build` would make it.
 */
export function programOf({ name, source }: Program): Promise<string> {
  const here = import.meta.url;
  if (!here.endsWith('.ts')) return Promise.resolve(fileURLToPath(new URL(`${name}.js`, here)));
  const making = built.get(name) ?? bundle(new URL('../../', here), { name, source });
  built.set(name, making);
  return making;
}

async function bundle(root: URL, { name, source }: Program): Promise<string> {
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
  // Others may make the same one at the same time, in a thread of this process too.
  const half = `${path}.${randomUUID()}`;
  await writeFile(half, bytes);
  await rename(half, path);
  return path;
}
