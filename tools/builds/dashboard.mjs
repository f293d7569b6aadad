import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'esbuild';
import { ROOT } from './paths.mjs';

const ENTRY = 'packages/dashboard/src/main.tsx';

/** The file that lists what a build of the dashboard has, and what its first page loads. */
const MANIFEST = 'manifest.json';

/** Encodings are made here, once, with the best compression; the service only chooses between them. */
const COMPRESSED = /\.(?:js|css|svg|json)$/;

/**
 * Bundles the dashboard for browsers into a folder: hashed names, so that browsers may keep each file for ever, each
 * text also as .br and .gz, and a manifest for the service that serves them. Unlike the service, it contains the
 * packages of others, because a browser has no node_modules.
 *
 * @param {string} folder Absolute path of a folder; it is created.
 * @param {{ minify?: boolean, sourcemap?: boolean, inputs?: string[] }} options Whether names are shortened and
 *   source maps written; `inputs` receives all files that were read, also those of packages.
 * @returns {Promise<string[]>} The files of this repository that were read, as paths from the root.
 */
export async function bundleDashboard(folder, { minify = true, sourcemap = true, inputs } = {}) {
  const { outputFiles, metafile } = await build({
    entryPoints: [ENTRY],
    absWorkingDir: ROOT,
    outdir: folder,
    bundle: true,
    splitting: true,
    minify,
    format: 'esm',
    platform: 'browser',
    target: ['es2022'],
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    tsconfig: 'packages/dashboard/tsconfig.json',
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    assetNames: '[name]-[hash]',
    loader: { '.woff2': 'file', '.woff': 'empty', '.svg': 'file' },
    sourcemap: sourcemap ? 'linked' : false,
    legalComments: 'linked',
    write: false,
    metafile: true,
    logLevel: 'warning',
  });
  inputs?.push(...Object.keys(metafile.inputs));
  await mkdir(folder, { recursive: true });
  await Promise.all(outputFiles.map((file) => writeWithEncodings(file.path, Buffer.from(file.contents))));
  await writeFile(join(folder, MANIFEST), `${JSON.stringify(manifestOf(metafile, folder), null, 2)}\n`, {
    flush: true,
  });
  return Object.keys(metafile.inputs).filter((file) => !file.includes('node_modules/'));
}

async function writeWithEncodings(path, bytes) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes, { flush: true });
  if (!COMPRESSED.test(path)) return;
  const params = { [constants.BROTLI_PARAM_QUALITY]: 10 };
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(bytes, { params }),
    promisify(gzip)(bytes, { level: 9 }),
  ]);
  await Promise.all([
    writeFile(`${path}.br`, br, { flush: true }),
    writeFile(`${path}.gz`, gz, { flush: true }),
  ]);
}

/** `first` is the entry with everything that it imports statically: the first load of the dashboard. */
function manifestOf({ outputs }, folder) {
  const nameOf = (path) => join(ROOT, path).slice(folder.length + 1);
  const [path, entry] = Object.entries(outputs).find(([, output]) => output.entryPoint === ENTRY);
  const first = new Set();
  const follow = (from) => {
    if (first.has(from)) return;
    first.add(from);
    for (const { path: next, kind } of outputs[from].imports)
      if (kind === 'import-statement' && outputs[next]) follow(next);
  };
  follow(path);
  return {
    script: nameOf(path),
    style: entry.cssBundle === undefined ? null : nameOf(entry.cssBundle),
    first: [...first].map(nameOf),
    files: Object.keys(outputs).map(nameOf).toSorted(),
  };
}
