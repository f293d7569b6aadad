import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { reportPdf } from '../../../test/handed-in.ts';
import { frame, frameReader } from './protocol.ts';
import { runChild, type Limits } from './run-child.ts';

const root = new URL('../../../', import.meta.url);
const MIB = 1024 * 1024;
/** Two processes start in each test, and behind everything else that runs. */
const PATIENCE_MS = 60_000;
/**
 * A PDF that takes minutes to read. A report that is read in a second would be done where the test process stood still for
 * so long before it looked at its timers.
 */
const endless = packed('q Q '.repeat(16 * MIB));
const generous: Limits = { wholeMs: 60_000, pageMs: 60_000, memoryBytes: 1536 * MIB };
const read = (bytes: Buffer, limits: Limits = generous, signal?: AbortSignal) =>
  runChild({
    root,
    ask: { ask: 'read', loincCsv: null },
    files: [{ type: 'application/pdf', bytes }],
    limits,
    ...(signal ? { signal } : {}),
  });

describe('a process that reads a file', { timeout: PATIENCE_MS }, () => {
  it('is ended when it takes too long, for all or for a page', async () => {
    expect(await read(endless, { ...generous, wholeMs: 50 })).toEqual({ end: 'limit', of: 'time' });
    expect(await read(endless, { ...generous, pageMs: 50 })).toEqual({ end: 'limit', of: 'time' });
  });

  it('is ended when a small file unpacks to too much, or to what never ends', async () => {
    const heavy = await read(packed(`(${'a'.repeat(48 * MIB)}`), { ...generous, memoryBytes: 256 * MIB });
    expect(heavy).toEqual({ end: 'limit', of: 'memory' });
    const slow = await read(endless, { ...generous, pageMs: 2000 });
    expect(slow).toEqual({ end: 'limit', of: 'time' });
  });

  it('is ended when nobody wants its answer any more', async () => {
    expect(await read(endless, generous, AbortSignal.timeout(80))).toEqual({ end: 'died' });
    expect(await read(await reportPdf(), generous, AbortSignal.abort())).toEqual({ end: 'died' });
  });

  it('asks nobody, though the file tells it to', async () => {
    let asked = 0;
    const server = createServer((_request, response) => {
      asked += 1;
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const image = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg"><image href="${url}"/></svg>`);
    const answers = await Promise.all([
      runChild({
        root,
        ask: { ask: 'page', page: 1 },
        files: [{ type: '', bytes: image }],
        limits: generous,
      }),
      read(leadingOut(url)),
    ]);
    expect(answers).toHaveLength(2);
    expect(asked).toBe(0);
    server.close();
  });
});

describe('the frames between the two', () => {
  it('come whole, however they are cut', () => {
    const all = Buffer.concat([
      frame('text', Buffer.from('one')),
      frame('bytes', Buffer.alloc(0)),
      frame('progress', Buffer.from('three')),
    ]);
    for (const size of [1, 2, 7, all.length]) {
      const take = frameReader();
      const got: string[] = [];
      for (let at = 0; at < all.length; at += size) {
        for (const { kind, payload } of take(all.subarray(at, at + size)))
          got.push(`${kind}:${payload.toString()}`);
      }
      expect(got).toEqual(['2:one', '3:', '1:three']);
    }
  });

  it('are refused when they promise too much', () => {
    expect(() => frameReader()(Buffer.from([2, 255, 255, 255, 255]))).toThrow('too much');
  });
});

/** A PDF of some hundred bytes whose page unpacks, twice, to all of this. */
function packed(content: string): Buffer {
  const once = deflateSync(content);
  return pdfOf(deflateSync(once), '/Filter [/FlateDecode /FlateDecode]');
}

/** A PDF that wants to be told more by somebody else. */
const leadingOut = (url: string): Buffer =>
  pdfOf(Buffer.from('BT ET'), `/F << /FS /URL /F (${url}) >>`, `/OpenAction << /S /URI /URI (${url}) >>`);

function pdfOf(stream: Buffer, ofStream: string, ofCatalog = ''): Buffer {
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R ${ofCatalog} >>`,
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R >>',
  ];
  const head = objects.map((text, index) => `${index + 1} 0 obj\n${text}\nendobj\n`).join('');
  return Buffer.concat([
    Buffer.from(`%PDF-1.4\n${head}4 0 obj\n<< /Length ${stream.length} ${ofStream} >>\nstream\n`),
    stream,
    Buffer.from('\nendstream\nendobj\ntrailer\n<< /Root 1 0 R /Size 5 >>\n%%EOF\n'),
  ]);
}
