import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { initialDataKeys, tenantCipher } from '../platform/crypto/cipher.ts';
import { KeyProviderError, type KeyProvider } from '../platform/crypto/key-provider.ts';
import type { SealedFileContext } from '../platform/crypto/sealed-file.ts';
import { Timestamp } from '../platform/timestamp.ts';

/**
 * A backup begins with this line, the length of the header in four bytes, and the header. The rest is sealed with a
 * key of its own, which the header contains, wrapped by the key provider: the backup opens without its database.
 */
const MAGIC = Buffer.from('ALIQUOT BACKUP 2\n');
const LENGTH_BYTES = 4;
const HEADER_BYTES_MAX = 64 * 1024;
const CONTEXT = { purpose: 'backup' } as const;

/** What can be read of a backup without its key. */
const BackupHeader = z.object({
  madeAt: Timestamp,
  /** The key provider that opens the backup, the fingerprint of its key, and where an operator finds that. */
  provider: z.string(),
  fingerprint: z.string(),
  location: z.string(),
  wrappedKey: z.base64(),
});
export type BackupHeader = z.output<typeof BackupHeader>;

interface NewHeader {
  /** The first bytes of the backup. */
  readonly bytes: Buffer;
  readonly sealing: SealedFileContext;
}

export async function createHeader(provider: KeyProvider, madeAt: string): Promise<NewHeader> {
  const key = randomBytes(32);
  const { name, fingerprint, location } = provider;
  const wrappedKey = (await provider.wrap(key, CONTEXT)).toString('base64');
  const header: BackupHeader = { madeAt, provider: name, fingerprint, location, wrappedKey };
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(text.length);
  return { bytes: Buffer.concat([MAGIC, length, text]), sealing: sealingOf(key, text) };
}

/** The header is bound to what follows it: with a changed one, the backup does not open. */
const sealingOf = (key: Buffer, header: Buffer): SealedFileContext => ({
  cipher: tenantCipher(initialDataKeys(key), 'backup'),
  name: `backup/${createHash('sha256').update(header).digest('hex')}`,
});

interface OpenedHeader {
  readonly header: BackupHeader;
  /** The header as it was written. */
  readonly text: Buffer;
  /** The bytes after the header. */
  readonly rest: AsyncIterable<Buffer>;
}

/** Reads the header. Throws if the bytes do not begin with one. */
export async function readHeader(source: AsyncIterable<Buffer>): Promise<OpenedHeader> {
  const chunks = source[Symbol.asyncIterator]();
  let waiting = Buffer.alloc(0);
  const fill = async (size: number): Promise<Buffer> => {
    while (waiting.length < size) {
      const next = await chunks.next();
      if (next.done === true) throw new Error('Cannot open the backup: it is truncated');
      waiting = Buffer.concat([waiting, next.value]);
    }
    return waiting;
  };
  try {
    const textAt = MAGIC.length + LENGTH_BYTES;
    if (!(await fill(MAGIC.length)).subarray(0, MAGIC.length).equals(MAGIC)) throw new Error(NOT_A_BACKUP);
    const length = (await fill(textAt)).readUInt32BE(MAGIC.length);
    if (length > HEADER_BYTES_MAX) throw new Error(NOT_A_BACKUP);
    const text = (await fill(textAt + length)).subarray(textAt, textAt + length);
    const parsed = BackupHeader.safeParse(parseJson(text));
    if (!parsed.success) throw new Error(NOT_A_BACKUP);
    return { header: parsed.data, text, rest: continueWith(waiting.subarray(textAt + length), chunks) };
  } catch (error) {
    await chunks.return?.();
    throw error;
  }
}

const NOT_A_BACKUP =
  'Cannot open the backup: it is not one, or was made by an earlier version, which has to restore it';

function parseJson(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString());
  } catch {
    return undefined;
  }
}

async function* continueWith(first: Buffer, chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (first.length > 0) yield first;
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
  } finally {
    await chunks.return?.();
  }
}

/** Throws if none of the providers has the key of the backup; the message names that key and where it was. */
export async function unwrapHeader(
  { header, text }: Pick<OpenedHeader, 'header' | 'text'>,
  providers: readonly KeyProvider[],
): Promise<SealedFileContext> {
  const provider = providers.find(({ fingerprint }) => fingerprint === header.fingerprint);
  if (!provider) {
    const given = providers.map(({ name, fingerprint }) => `${name} has ${fingerprint}`).join(', ');
    throw new Error(`Cannot open the backup: it needs ${describeKey(header)}; ${given}`);
  }
  try {
    return sealingOf(await provider.unwrap(Buffer.from(header.wrappedKey, 'base64'), CONTEXT), text);
  } catch (error) {
    if (!(error instanceof KeyProviderError) || error.reason !== 'wrong_key') throw error;
    throw new Error(
      `Cannot open the backup: it was modified, or ${provider.name} has another key of the name ${header.fingerprint}`,
      { cause: error },
    );
  }
}

/** Names the key for an operator. The location is that of the machine which wrote the backup. */
export const describeKey = ({ provider, fingerprint, location }: BackupHeader): string =>
  `the key ${fingerprint} of the key provider ${provider}${location === fingerprint ? '' : ` (${location})`}`;
