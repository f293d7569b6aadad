import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { withoutSpreadFirst } from '../spread-first.mjs';
import { DIST, ROOT } from './paths.mjs';

/** Programs that the service runs in threads and child processes; it looks for them next to itself. */
export const PROGRAMS = {
  'lab-report-reader': 'src/lab-reports/work/child.ts',
  'fit-decoder': 'src/wearables/files/fit/thread.ts',
  'webhook-signer': 'src/webhooks/signing/thread.ts',
};

/**
 * Bundles the sources into a folder in dist/. Packages stay external, in node_modules. The bundle is split, so that a
 * command loads only the parts that it needs.
 *
 * @param {string} folder Name of an empty folder in dist/.
 * @returns {Promise<string[]>} The files that were read, as paths from the root.
 */
export async function bundle(folder) {
  const { outputFiles, metafile } = await build({
    entryPoints: { aliquot: 'src/cli/aliquot.ts', ...PROGRAMS },
    // The output must not depend on the working directory.
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
  // Flushed, because the name of a build guarantees its content, even after a power failure.
  await Promise.all(
    outputFiles.map((file) =>
      writeFile(join(DIST, folder, basename(file.path)), contentsOf(file), { flush: true }),
    ),
  );
  return Object.keys(metafile.inputs);
}

const contentsOf = ({ path: file, text, contents }) =>
  file.endsWith('.js') ? withoutSpreadFirst(text) : contents;
