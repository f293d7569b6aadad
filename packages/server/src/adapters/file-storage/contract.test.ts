import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openS3StandIn, type S3StandIn } from '../../../test/s3.ts';
import { readConfig } from '../../platform/config.ts';
import { createFileStorage } from './choose.ts';
import { createFolderStorage } from './folder.ts';
import { FileNotFoundError, type FileStorage } from './port.ts';
import { createS3Storage } from './s3.ts';

let folder: string;
let s3: S3StandIn;
const bodies: Record<string, FileStorage> = {};
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aliquot-files-'));
  s3 = await openS3StandIn();
  bodies['folder'] = createFolderStorage(join(folder, 'files'));
  bodies['s3'] = createS3Storage({
    bucket: 'reports',
    region: 'eu-central-1',
    endpoint: s3.url,
    prefix: 'aliquot/',
    credentials: { accessKeyId: 'AKID', secretAccessKey: 'secret' },
  });
});
afterAll(async () => {
  await s3.close();
  await rm(folder, { recursive: true });
});

async function* pieces(...all: (Buffer | Error)[]): AsyncGenerator<Buffer> {
  for (const piece of all) {
    if (piece instanceof Error) throw piece;
    yield piece;
  }
}

async function all(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const got: Buffer[] = [];
  for await (const piece of bytes) got.push(piece);
  return Buffer.concat(got);
}

describe.each(['folder', 's3'])('a file storage: %s', (name) => {
  const storage = () => {
    const body = bodies[name];
    if (!body) throw new Error(`No storage ${name}`);
    return body;
  };

  it('returns the stored bytes, however they were chunked', async () => {
    const big = Buffer.alloc(300_000, 'sealed');
    await storage().put('a/b-1', pieces(big.subarray(0, 1), big.subarray(1, 200_000), big.subarray(200_000)));
    expect((await all(storage().get('a/b-1'))).equals(big)).toBe(true);
  });

  it('stores an empty file, and replaces a file with the same key', async () => {
    await storage().put('a/empty', pieces());
    expect(await all(storage().get('a/empty'))).toHaveLength(0);
    await storage().put('a/empty', pieces(Buffer.from('new')));
    expect((await all(storage().get('a/empty'))).toString()).toBe('new');
  });

  it('throws for an unknown file, and removes an existing one', async () => {
    await expect(all(storage().get('a/none'))).rejects.toThrow(FileNotFoundError);
    await storage().put('a/gone', pieces(Buffer.from('x')));
    await storage().remove('a/gone');
    await storage().remove('a/gone');
    await expect(all(storage().get('a/gone'))).rejects.toThrow(FileNotFoundError);
  });

  it('stores nothing of an interrupted upload', async () => {
    await expect(storage().put('a/half', pieces(Buffer.from('x'), new Error('cut off')))).rejects.toThrow(
      'cut off',
    );
    await expect(all(storage().get('a/half'))).rejects.toThrow(FileNotFoundError);
  });
});

describe.each(['folder', 's3'])('a file storage that lists: %s', (name) => {
  const list = async (folderName: string) => {
    const found: [string, number][] = [];
    for await (const { key, bytes } of bodies[name]?.list(folderName) ?? []) found.push([key, bytes]);
    return found.toSorted();
  };

  it('names the complete files of one folder', async () => {
    for (const key of ['one', 'two', 'three'])
      await bodies[name]?.put(`list/${key}`, pieces(Buffer.from(key)));
    await bodies[name]?.put('listed/other', pieces(Buffer.from('x')));
    await expect(
      bodies[name]?.put('list/half', pieces(Buffer.from('x'), new Error('cut'))),
    ).rejects.toThrow();
    expect(await list('list')).toEqual([
      ['list/one', 3],
      ['list/three', 5],
      ['list/two', 3],
    ]);
    expect(await list('nothing')).toEqual([]);
  });

  it('discards what a killed process left of an upload, and no complete file', async () => {
    await bodies[name]?.put('list/whole', pieces(Buffer.from('x')));
    if (name === 'folder') await writeFile(join(folder, 'files', 'list', 'whole.half'), 'half');
    else
      s3.uploads.set('left', {
        path: '/reports/aliquot/list/whole',
        parts: new Map([[1, Buffer.from('half')]]),
      });
    await bodies[name]?.discardUnfinished('list/whole');
    await bodies[name]?.discardUnfinished('list/absent');
    expect(s3.uploads.size).toBe(0);
    expect(await readdir(join(folder, 'files', 'list'))).not.toContain('whole.half');
    expect((await all(bodies[name]?.get('list/whole') ?? pieces())).toString()).toBe('x');
  });
});

describe('a folder', () => {
  it('is readable only by its owner, and holds no partial files', async () => {
    const files = join(folder, 'files', 'a');
    await bodies['folder']?.put('a/b-1', pieces(Buffer.from('x')));
    expect((await readdir(files)).filter((file) => file.endsWith('.half'))).toEqual([]);
    if (process.platform === 'win32') return;
    expect((await stat(files)).mode & 0o077).toBe(0);
    expect((await stat(join(files, 'b-1'))).mode & 0o077).toBe(0);
  });

  /** A process that may write no more than a mebibyte to a file, as on a disk that is nearly full. */
  const LIMITED = ['-c', 'ulimit -f 2048; exec "$0" "$@"', process.execPath, '--import', 'tsx'];
  const STORE = `
    import { createFolderStorage } from ${JSON.stringify(new URL('folder.ts', import.meta.url).href)};
    const [folder, ...sizes] = process.argv.slice(1);
    async function* pieces() { for (const size of sizes) yield Buffer.alloc(Number(size), 'x'); }
    await createFolderStorage(folder).put('a/full', pieces()).then(() => console.log('kept'), (error) => console.log(error.code));`;

  it.skipIf(process.platform === 'win32').each([
    ['kept', ['900000', '100000']],
    ['EFBIG', ['900000', '3000000']],
  ])('is full in the middle of a piece: %s', async (told, sizes) => {
    const args = [...LIMITED, '--input-type=module', '--eval', STORE, folder, ...sizes];
    expect((await promisify(execFile)('/bin/sh', args)).stdout.trim()).toBe(told);
    const names = await readdir(join(folder, 'a'));
    expect(names).toEqual(told === 'kept' ? ['full'] : []);
    await rm(join(folder, 'a'), { recursive: true });
  });

  it.each(['../out', 'a//b', '/etc/passwd', 'a/./b', ''])(
    'takes no key that leads out of it: %j',
    async (key) => {
      await expect(createFolderStorage(folder).put(key, pieces())).rejects.toThrow('Invalid file key');
    },
  );
});

describe('a bucket', () => {
  it('is configured with both parts of the access key or neither', async () => {
    const named = { S3_BUCKET: 'other', S3_ENDPOINT: s3.url, S3_ACCESS_KEY_ID: 'AKID', S3_PREFIX: 'x/' };
    expect(() => readConfig(named)).toThrow('S3_SECRET_ACCESS_KEY: expected together');
    const storage = createFileStorage(readConfig({ ...named, S3_SECRET_ACCESS_KEY: 'secret' }));
    await storage.put('a', pieces(Buffer.from('x')));
    expect(s3.objects.has('/other/x/a')).toBe(true);
  });

  it('takes a long file in parts, and nothing of one that is cut off', async () => {
    const piece = Buffer.alloc(5 * 1024 * 1024, 'sealed');
    const long = Array.from({ length: 7 }, (_, n) => Buffer.concat([Buffer.of(n), piece]));
    await bodies['s3']?.put('a/long', pieces(...long));
    const parts = s3.requests.filter(({ line }) => line === 'PUT /reports/aliquot/a/long');
    expect(parts).toHaveLength(2);
    expect(s3.objects.get('/reports/aliquot/a/long')?.equals(Buffer.concat(long))).toBe(true);
    await expect(bodies['s3']?.put('a/cut', pieces(...long, new Error('cut off')))).rejects.toThrow(
      'cut off',
    );
    expect([s3.objects.has('/reports/aliquot/a/cut'), s3.uploads.size]).toEqual([false, 0]);
  });

  it('is addressed by path and prefix with signed requests, and retried when busy', async () => {
    s3.failNext(2);
    await bodies['s3']?.put('a/busy', pieces(Buffer.from('x')));
    expect(s3.objects.get('/reports/aliquot/a/busy')?.toString()).toBe('x');
    expect(s3.requests.every(({ isSigned }) => isSigned)).toBe(true);
    expect(s3.requests.filter(({ line }) => line === 'PUT /reports/aliquot/a/busy')).toHaveLength(3);
  });
});
