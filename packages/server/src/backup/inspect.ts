import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import type { KeyProvider } from '../platform/crypto/key-provider.ts';
import { openFile } from '../platform/crypto/sealed-file.ts';
import { readHeader, unwrapHeader, type BackupHeader } from './header.ts';
import { BackupManifest, BackupTrailer } from './manifest.ts';
import { RowDigest } from './row-digest.ts';

/** Where a backup is read from, from its first byte at every call. */
export type BackupSource = () => AsyncIterable<Buffer>;

type EntryHandler = (name: string, bytes: Buffer) => Promise<void>;

/**
 * Opens a backup and passes its entries on in their order, one at a time. Throws if it is truncated or modified, or if
 * none of the providers has its key; then the entries passed before must not be used.
 */
export async function readEntries(
  source: AsyncIterable<Buffer>,
  providers: readonly KeyProvider[],
  handle: EntryHandler,
): Promise<BackupHeader> {
  const { header, text, rest } = await readHeader(source);
  const sealing = await unwrapHeader({ header, text }, providers);
  const entries = extract();
  const sealed = openFile(sealing, rest);
  const opened = Readable.from(explainOpenFailure(sealed)).on('error', (error) => entries.destroy(error));
  const plain = opened.pipe(createGunzip()).on('error', (error) => entries.destroy(error));
  plain.pipe(entries);
  try {
    for await (const entry of entries) await handle(entry.header.name, await buffer(entry));
    return header;
  } finally {
    opened.destroy();
  }
}

async function* explainOpenFailure(sealed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* sealed;
  } catch (error) {
    throw new Error('Cannot open the backup: it is truncated or modified', { cause: error });
  }
}

/** An entry `table/3/1` is part 1 of `table` `3`; the subject of a file is its key, which contains slashes. */
export function parseEntryName(name: string): { readonly kind: string; readonly subject: string } {
  const [kind = '', ...rest] = name.split('/');
  return { kind, subject: rest.slice(0, -1).join('/') };
}

/** Reads a backup completely without a database, and throws unless every row and file of its trailer is in it. */
export async function inspectBackup(source: BackupSource, providers: readonly KeyProvider[]): Promise<void> {
  let manifest: BackupManifest | undefined;
  let end: BackupTrailer | undefined;
  const digests: RowDigest[] = [];
  const files = new Set<string>();
  await readEntries(source(), providers, async (name, bytes) => {
    const { kind, subject } = parseEntryName(name);
    if (name === 'manifest.json') manifest = BackupManifest.parse(JSON.parse(bytes.toString()));
    else if (name === 'end.json') end = BackupTrailer.parse(JSON.parse(bytes.toString()));
    else if (kind === 'table') (digests[Number(subject)] ??= new RowDigest()).update(bytes);
    else if (kind === 'file') files.add(subject);
  });
  assertComplete({ manifest, end, digests, files: files.size });
}

interface BackupContents {
  readonly manifest: BackupManifest | undefined;
  readonly end: BackupTrailer | undefined;
  /** By table, in the order of the manifest. */
  readonly digests: readonly RowDigest[];
  readonly files: number;
}

/** Throws unless what was read is what the trailer says. */
export function assertComplete({ manifest, end, digests, files }: BackupContents): {
  readonly manifest: BackupManifest;
  readonly end: BackupTrailer;
} {
  if (!manifest || !end) throw new Error('The backup is truncated');
  const isWhole =
    end.files === files &&
    end.rows.length === manifest.tables.length &&
    end.rows.every((count, index) => count === digests[index]?.rows) &&
    end.digests.every((digest, index) => digest === String(digests[index]));
  if (!isWhole) throw new Error('The backup is incomplete: its rows and files do not match its trailer');
  return { manifest, end };
}
