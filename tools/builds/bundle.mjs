import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { withoutSpreadFirst } from '../spread-first.mjs';
import { DIST, ROOT } from './paths.mjs';

/** Programs that the service runs in threads and processes of their own; it looks for them next to itself. */
export const PROGRAMS = {
  'lab-report-reader': 'src/lab-reports/work/child.ts',
  'fit-decoder': 'src/wearables/files/fit/thread.ts',
  'webhook-signer': 'src/webhooks/signing/thread.ts',
};

/**
 * Bundles the sources into a folder in dist/; packages stay outside, where npm put them. The bundle is split, so that a
 * command loads only the parts that it needs.
 *
 * @param {string} folder Name of an empty folder in dist/.
 * @returns {Promise<string[]>} The files that were read, as paths from the root.
 */
export async function bundle(folder) {
  const { outputFiles, metafile } = await build({
    entryPoints: { aliquot: 'src/cli/aliquot.ts', ...PROGRAMS },
    // The same output wherever the command was started.
    absWorkingDir: ROOT,
    outdir: join(DIST, folder),
    bundle: true,
    splitting: true,
    chunkNames: 'part-[hash]',
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    write: false,
    metafile: true,
    logLevel: 'warning',
  });
  // Flushed: the name of a build promises its content, also after a power failure.
  await Promise.all(
    outputFiles.map((file) =>
      writeFile(join(DIST, folder, basename(file.path)), contentsOf(file), { flush: true }),
    ),
  );
  return Object.keys(metafile.inputs);
}

const contentsOf = ({ path: file, text, contents }) =>
  file.endsWith('.js') ? withoutSpreadFirst(text) : contents;
