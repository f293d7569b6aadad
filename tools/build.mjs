// `npm run build`: builds the current sources, unless their build exists.
//
// Each build has its own folder in dist/, named by a hash of its inputs. A folder gets that name only when it is
// complete, so several processes can build and start concurrently, and a running one keeps the files it loads later.
import { existsSync, readFileSync, utimesSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isBeingRemoved, removeOldBuilds, temporaryName } from './builds/cleanup.mjs';
import { readInputs } from './builds/inputs.mjs';
import { takeLease } from './builds/leases.mjs';
import { DIST } from './builds/paths.mjs';

const isComplete = (folder) => existsSync(join(DIST, folder, 'aliquot.js'));

/** Finds or makes the build of the current sources. It is not removed until it is released or this process ends. */
export async function openBuild() {
  for (;;) {
    const opened = await openBuildOf(readInputs());
    if (opened) return opened;
  }
}

async function openBuildOf(inputs) {
  for (let number = 0; ; number += 1) {
    const folder = number === 0 ? inputs.name : `${inputs.name}-${number}`;
    const release = takeLease(folder, 'use');
    if (isBeingRemoved(folder)) {
      release?.();
      continue;
    }
    const isNew = !isComplete(folder);
    if (isNew && !(await makeBuild(folder, inputs))) {
      release?.();
      return undefined;
    }
    await unlessReadOnly(() => noteAsLast(folder));
    if (isNew) await removeOldBuilds().catch(() => {}); // The next build tries again.
    return { folder: join(DIST, folder), program: programOf(folder), isNew, release: () => release?.() };
  }
}

const programOf = (folder) => pathToFileURL(join(DIST, folder, 'aliquot.js')).href;

/** Returns false if the sources changed during the build, because its name would be wrong. */
async function makeBuild(folder, { name, files }) {
  const temporary = temporaryName();
  const release = takeLease(temporary, 'use');
  try {
    await makeFolder(temporary);
    const { bundle } = await import('./builds/bundle.mjs');
    const unnamed = (await bundle(temporary)).filter((file) => !files.has(file));
    if (unnamed.length > 0) throw new Error(`Bundled, but not part of a build's name: ${unnamed.join(', ')}`);
    if (readInputs().name !== name) return false;
    await rename(join(DIST, temporary), join(DIST, folder)).catch((error) => {
      // Another process has made the same one.
      if (!isComplete(folder)) throw error;
    });
    return true;
  } finally {
    await rm(join(DIST, temporary), { recursive: true, force: true });
    release?.();
  }
}

async function makeFolder(folder) {
  try {
    await mkdir(join(DIST, folder), { recursive: true });
  } catch (cause) {
    const message = `dist/ has no build of these sources and cannot be written (${cause.code}). Run \`npm run build\` as a user who may write there.`;
    throw new Error(message, { cause });
  }
}

/** Writes dist/aliquot.js, which packages/server/bin/aliquot.js uses to find the build that was opened last. */
async function noteAsLast(folder) {
  utimesSync(join(DIST, folder), new Date(), new Date());
  const file = join(DIST, 'aliquot.js');
  const text = `// Written by tools/build.mjs: runs the build that was opened last.
import { runBuild } from '../../../tools/build.mjs';
await runBuild('${folder}');
`;
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  const temporary = temporaryName();
  const release = takeLease(temporary, 'use');
  await writeFile(join(DIST, temporary), text, { flush: true });
  await rename(join(DIST, temporary), file);
  release?.();
}

const READ_ONLY = new Set(['EACCES', 'EPERM', 'EROFS', 'ERR_ACCESS_DENIED']);

async function unlessReadOnly(work) {
  await work().catch((error) => {
    if (!READ_ONLY.has(error.code)) throw error;
  });
}

/** Runs a build; if it has been removed, the build of the current sources. */
export async function runBuild(folder) {
  takeLease(folder, 'use');
  const isThere = !isBeingRemoved(folder) && isComplete(folder);
  await import(isThere ? programOf(folder) : (await openBuild()).program);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await openBuild();
