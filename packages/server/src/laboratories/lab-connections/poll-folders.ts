import { constants } from 'node:fs';
import { lstat, open, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { startLoop, type Loop } from '../../platform/jobs/loop.ts';
import type { LabRoute } from './connection.ts';
import { listFolderRoutes } from './connection-store.ts';
import { openConnectionFolder } from './folder.ts';
import { ingestMessages, type MessageReceipt } from './ingestion.ts';

const POLL_EVERY_MS = 2000;
const FILES_MAX = 100;
/** A file may contain many messages; files beyond this multiple of the message limit are not read. */
const FILE_SIZE_FACTOR_MAX = 20;
/** Names of files that are still being written. */
const UNFINISHED = /^\.|\.(tmp|part|filepart|writing)$/i;

/** Size, time and inode of files at the last poll. A file is complete if they have not changed. */
type SeenFiles = Map<string, string>;

/** Starts polling the folders of connections; returns no loop if LAB_FOLDERS is not set. */
export function startFolderPolling(app: App): Loop[] {
  const { LAB_FOLDERS: root } = app.config;
  if (root === undefined) return [];
  const seen: SeenFiles = new Map();
  const round = () => pollFolders(app, { root, seen });
  return [startLoop(app, { name: 'lab-folders', everyMs: POLL_EVERY_MS, iterate: round })];
}

/** One poll. Ingests files that have not changed since the previous poll. Never asks for an immediate next round. */
export async function pollFolders(
  app: App,
  { root, seen }: { root: string; seen: SeenFiles },
): Promise<boolean> {
  const routes = await asSystem(app.db, listFolderRoutes);
  const present = new Set<string>();
  for (const route of routes) {
    await pollFolder(app, { root, route, seen, present }).catch((error: unknown) => {
      // Continue with the folders of the other connections.
      app.log.error({ err: error, connection_id: route.connectionId }, 'failed to poll a laboratory folder');
    });
  }
  for (const file of seen.keys()) if (!present.has(file)) seen.delete(file);
  return false;
}

interface FolderPoll {
  readonly root: string;
  readonly route: LabRoute;
  readonly seen: SeenFiles;
  /** The existing files of all folders. */
  readonly present: Set<string>;
}

async function pollFolder(app: App, { root, route, seen, present }: FolderPoll): Promise<void> {
  const folder = await openConnectionFolder(root, route.connectionId);
  for (const name of await listFiles(folder.in)) {
    const file = join(folder.in, name);
    present.add(file);
    await handleFile(app, { route, file, name, folder, seen }).catch((error: unknown) => {
      app.log.error({ err: error, connection_id: route.connectionId }, 'failed to ingest a laboratory file');
    });
  }
}

/** Oldest first, independent of names, so that a correction follows what it corrects. */
async function listFiles(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => !UNFINISHED.test(name));
  const dated = await Promise.all(
    names.map(async (name) => ({ name, at: await readModifiedTime(join(folder, name)) })),
  );
  return dated
    .toSorted((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1))
    .slice(0, FILES_MAX)
    .map(({ name }) => name);
}

/** 0 for a file that another worker has archived meanwhile. */
const readModifiedTime = (file: string): Promise<number> =>
  lstat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );

interface PolledFile {
  readonly route: LabRoute;
  readonly file: string;
  readonly name: string;
  readonly folder: Awaited<ReturnType<typeof openConnectionFolder>>;
  readonly seen: SeenFiles;
}

async function handleFile(app: App, found: PolledFile): Promise<void> {
  const { file, seen } = found;
  const facts = await lstat(file);
  const looks = `${facts.size}/${facts.mtimeMs}/${facts.ino}`;
  if (seen.get(file) !== looks) {
    seen.set(file, looks);
    return;
  }
  // Ignore links and folders.
  if (!facts.isFile()) return;
  const isLarge = facts.size > app.config.LAB_MESSAGE_LIMIT_BYTES * FILE_SIZE_FACTOR_MAX;
  const receipts = isLarge ? [] : await ingestFile(app, found);
  if (isLarge)
    app.log.error({ connection_id: found.route.connectionId, size: facts.size }, 'laboratory file too large');
  const isFine = receipts.length > 0 && receipts.every(({ code }) => code === 'AA');
  await archiveFile(found, isFine ? found.folder.done : found.folder.failed, facts.mtimeMs);
  seen.delete(file);
}

/** Stores all messages before the file is archived; after a crash in between, they are recognized as repeats. */
async function ingestFile(app: App, { route, file }: PolledFile): Promise<MessageReceipt[]> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  const bytes = await handle.readFile().finally(() => handle.close());
  if (bytes.length === 0) return [];
  const pieces = app.labWire.split(bytes);
  const receipts: MessageReceipt[] = [];
  const limit = app.config.LAB_MESSAGE_LIMIT_BYTES;
  for (const piece of pieces) {
    const isLarge = piece.length > limit;
    const came = {
      format: 'hl7',
      way: 'folder',
      remoteAddress: '',
      fingerprint: null,
      sender: route,
    } as const;
    const arrived = { ...came, bytes: isLarge ? piece.subarray(0, HEAD_BYTES) : piece };
    receipts.push(...(await ingestMessages(app, { ...arrived, flaw: isLarge ? 'too_large' : undefined })));
  }
  return receipts;
}

const HEAD_BYTES = 4096;

/** Prefixes the name with the modification time, so that files of the same name do not overwrite each other. */
const archiveFile = ({ file, name }: PolledFile, folder: string, mtimeMs: number): Promise<void> =>
  rename(file, join(folder, `${Math.round(mtimeMs)}-${name}`)).catch((error: unknown) => {
    // Another worker has archived the file and stored the same messages.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  });
