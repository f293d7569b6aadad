import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OperationOutput } from '../operations/operation.ts';
import { requestOperation } from './request-operation.ts';

const request = {
  version: '1.0.0',
  database: 'a',
  operation: 'catalog pending',
  input: {},
  isTerminal: false,
  isErrorTerminal: false,
};

let folder: string;
let server: Server;
let printed: string;
const output: OperationOutput = {
  isTerminal: false,
  isErrorTerminal: false,
  out: (text) => (printed += Buffer.from(text).toString()),
  err: () => {},
  exitCode: () => {},
};

/** A process that answers every request with the same lines. */
async function serve(...lines: readonly object[]): Promise<void> {
  server = createServer((socket) => {
    socket.once('data', () => socket.end(lines.map((line) => `${JSON.stringify(line)}\n`).join('')));
  });
  const path = join(folder, 'run', 'x.sock');
  await new Promise<void>((resolve) => server.listen(path, resolve));
}

beforeEach(async () => {
  printed = '';
  folder = await mkdtemp(join(tmpdir(), 'aliquot-socket-'));
  await mkdir(join(folder, 'run'), { mode: 0o700 });
});
afterEach(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

const hello = { out: Buffer.from('hello\n').toString('base64') };

describe.skipIf(process.platform === 'win32')('a request to the local socket', () => {
  it('prints what the service prints', async () => {
    await serve(hello, { exitCode: 0 });
    expect([await requestOperation(folder, request, output), printed]).toEqual([true, 'hello\n']);
  });

  it('is not made in a folder where others could have put a socket', async () => {
    await serve(hello, { exitCode: 0 });
    await chmod(join(folder, 'run'), 0o755);
    expect([await requestOperation(folder, request, output), printed]).toEqual([false, '']);
  });

  it('goes elsewhere when it is refused', async () => {
    await serve({ refused: 'the service uses another database' });
    expect(await requestOperation(folder, request, output)).toBe(false);
  });

  it('fails when the service ends before its answer is complete', async () => {
    await serve(hello);
    await expect(requestOperation(folder, request, output)).rejects.toThrow('Its effect is uncertain');
  });
});
