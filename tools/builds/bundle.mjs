import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { withoutSpreadFirst } from '../spread-first.mjs';
import { bundleDashboard } from './dashboard.mjs';
import { ownPackages } from './own-packages.mjs';
import { DIST, ROOT } from './paths.mjs';
import { IS_SPREAD_FIRST_SLOW } from './slow-spread.mjs';

/** Programs that the service runs in threads and child processes; it looks for them next to itself. */
export const PROGRAMS = {
  'lab-report-reader': 'packages/server/src/lab-reports/readers/child.ts',
  'fit-decoder': 'packages/server/src/wearables/files/fit/thread.ts',
  'webhook-signer': 'packages/server/src/delivery/webhooks/signing/thread.ts',
};

/** Commands that people start. */
const COMMANDS = {
  aliquot: 'packages/server/src/cli/aliquot.ts',
  'report-reader': 'packages/report-reader/src/command.ts',
};

/**
 * Bundles the sources into a folder in dist/. Packages of others stay external, in node_modules. The bundle is split, so that a
 * command loads only the parts that it needs.
 *
 * @param {string} folder Name of an empty folder in dist/.
 * @returns {Promise<string[]>} The files that were read, as paths from the root.
 */
export async function bundle(folder) {
  const { outputFiles, metafile } = await build({
    entryPoints: { ...COMMANDS, ...PROGRAMS },
    // The output must not depend on the working directory.
    absWorkingDir: ROOT,
    outdir: join(DIST, folder),
    bundle: true,
    splitting: true,
    chunkNames: 'part-[hash]',
    packages: 'external',
    alias: ownPackages(),
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
  const pages = await bundleDashboard(join(DIST, folder, 'dashboard'));
  return [...Object.keys(metafile.inputs), ...pages];
}

const contentsOf = ({ path: file, text, contents }) =>
  IS_SPREAD_FIRST_SLOW && file.endsWith('.js') ? withoutSpreadFirst(text) : contents;
