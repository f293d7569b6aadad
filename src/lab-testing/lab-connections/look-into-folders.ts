import { constants } from 'node:fs';
import { lstat, open, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { startLoop, type Loop } from '../../platform/jobs/loop.ts';
import type { Route } from './connection.ts';
import { listFolders } from './connection-store.ts';
import { openFolder } from './folder.ts';
import { takeIn, type Receipt } from './intake.ts';

const LOOK_EVERY_MS = 2000;
const FILES_MAX = 100;
/** A file holds many messages; what is larger is not read at all. */
const FILE_LIMITS = 20;
/** How files are called that somebody is still writing. */
const UNFINISHED = /^\.|\.(tmp|part|filepart|writing)$/i;

/** What a file looked like the last time: it is whole when it looks so again. */
export type Seen = Map<string, string>;

/** Looks into the folders of connections; nothing where no root is set. */
export function startLabFolders(app: App): Loop[] {
  const { LAB_FOLDERS: root } = app.config;
  if (root === undefined) return [];
  const seen: Seen = new Map();
  const round = () => lookIntoFolders(app, { root, seen });
  return [startLoop(app, { name: 'lab-folders', everyMs: LOOK_EVERY_MS, round })];
}

/** One look. A file is taken when it has not changed since the look before. Answers whether there may be more. */
export async function lookIntoFolders(
  app: App,
  { root, seen }: { root: string; seen: Seen },
): Promise<boolean> {
  const routes = await asSystem(app.db, listFolders);
  const present = new Set<string>();
  for (const route of routes) {
    await lookInto(app, { root, route, seen, present }).catch((error: unknown) => {
      // The folders behind it are those of others.
      app.log.error(
        { err: error, connection_id: route.connectionId },
        'the folder of a laboratory was not looked into',
      );
    });
  }
  for (const file of seen.keys()) if (!present.has(file)) seen.delete(file);
  return false;
}

interface Looking {
  readonly root: string;
  readonly route: Route;
  readonly seen: Seen;
  /** The files that are there, of all folders. */
  readonly present: Set<string>;
}

async function lookInto(app: App, { root, route, seen, present }: Looking): Promise<void> {
  const folder = await openFolder(root, route.connectionId);
  for (const name of await filesIn(folder.in)) {
    const file = join(folder.in, name);
    present.add(file);
    await attend(app, { route, file, name, folder, seen }).catch((error: unknown) => {
      app.log.error({ err: error, connection_id: route.connectionId }, 'a laboratory file was not taken');
    });
  }
}

/** Oldest first, whatever they are called: a correction comes behind what it corrects. */
async function filesIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => !UNFINISHED.test(name));
  const dated = await Promise.all(
    names.map(async (name) => ({ name, at: await writtenAt(join(folder, name)) })),
  );
  return dated
    .toSorted((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1))
    .slice(0, FILES_MAX)
    .map(({ name }) => name);
}

/** Of a file that another worker has put away meanwhile it does not matter. */
const writtenAt = (file: string): Promise<number> =>
  lstat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );

interface Found {
  readonly route: Route;
  readonly file: string;
  readonly name: string;
  readonly folder: Awaited<ReturnType<typeof openFolder>>;
  readonly seen: Seen;
}

async function attend(app: App, found: Found): Promise<void> {
  const { file, seen } = found;
  const facts = await lstat(file);
  const looks = `${facts.size}/${facts.mtimeMs}/${facts.ino}`;
  if (seen.get(file) !== looks) {
    seen.set(file, looks);
    return;
  }
  // A link or a folder was not dropped by a laboratory.
  if (!facts.isFile()) return;
  const isLarge = facts.size > app.config.LAB_MESSAGE_LIMIT_BYTES * FILE_LIMITS;
  const receipts = isLarge ? [] : await takeFile(app, found);
  if (isLarge)
    app.log.error(
      { connection_id: found.route.connectionId, size: facts.size },
      'a laboratory file is too large',
    );
  const isFine = receipts.length > 0 && receipts.every(({ code }) => code === 'AA');
  await putAway(found, isFine ? found.folder.done : found.folder.failed, facts.mtimeMs);
  seen.delete(file);
}

/** All of its messages are kept before the file is put away; after a kill between the two they are known. */
async function takeFile(app: App, { route, file }: Found): Promise<Receipt[]> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  const bytes = await handle.readFile().finally(() => handle.close());
  if (bytes.length === 0) return [];
  const pieces = app.labWire.split(bytes);
  const receipts: Receipt[] = [];
  const limit = app.config.LAB_MESSAGE_LIMIT_BYTES;
  for (const piece of pieces) {
    const isLarge = piece.length > limit;
    const came = { format: 'hl7', way: 'folder', remoteAddress: '', fingerprint: null, route } as const;
    const arrived = { ...came, bytes: isLarge ? piece.subarray(0, HEAD_BYTES) : piece };
    receipts.push(...(await takeIn(app, { ...arrived, flaw: isLarge ? 'too_large' : undefined })));
  }
  return receipts;
}

const HEAD_BYTES = 4096;

/** Beside its name stands when it was written: two files of one name do not replace each other. */
const putAway = ({ file, name }: Found, folder: string, mtimeMs: number): Promise<void> =>
  rename(file, join(folder, `${Math.round(mtimeMs)}-${name}`)).catch((error: unknown) => {
    // Another worker was quicker; it has kept the same messages.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  });
