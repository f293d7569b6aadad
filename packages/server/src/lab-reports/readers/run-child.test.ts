import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { reportPdf } from '../../../test/report-upload.ts';
import { encodeFrame, createFrameDecoder } from './protocol.ts';
import { runChild, runInChild } from './run-child.ts';
import { startChild } from './start-child.ts';
import type { ChildLimits } from './watch-limits.ts';

const root = new URL('../../../', import.meta.url);
const MIB = 1024 * 1024;
/** Each test starts two processes, at a lower priority than everything else. */
const PATIENCE_MS = 60_000;
/**
 * A PDF that takes minutes to read. A report that takes a second could be finished before a stalled test process checks
 * its timers.
 */
const endless = packed('q Q '.repeat(16 * MIB));
const generous: ChildLimits = { totalCpuMs: 60_000, pageCpuMs: 60_000, memoryBytes: 1536 * MIB };
const read = (bytes: Buffer, limits: ChildLimits = generous, signal?: AbortSignal) =>
  runChild({
    root,
    request: { ask: 'read', loincCsv: null },
    files: [{ type: 'application/pdf', bytes }],
    limits,
    ...(signal ? { signal } : {}),
  });

describe('a reader process', { timeout: PATIENCE_MS }, () => {
  it('is killed when it exceeds the total or the page time limit', async () => {
    // On a busy machine, the time on the clock may run out first.
    const time = { end: 'limit', of: expect.stringMatching(/^(processor|elapsed)_time$/) };
    expect(await read(endless, { ...generous, totalCpuMs: 50 })).toEqual(time);
    expect(await read(endless, { ...generous, pageCpuMs: 50 })).toEqual(time);
  });

  it('is killed when a small file decompresses to too much data, or never ends', async () => {
    const heavy = await read(packed(`(${'a'.repeat(48 * MIB)}`), { ...generous, memoryBytes: 256 * MIB });
    expect(heavy).toEqual({ end: 'limit', of: 'memory' });
    const slow = await read(endless, { ...generous, pageCpuMs: 2000 });
    expect(slow).toEqual({ end: 'limit', of: 'processor_time' });
  });

  it('is killed when its task is aborted', async () => {
    expect(await read(endless, generous, AbortSignal.timeout(80))).toEqual({ end: 'died' });
    expect(await read(await reportPdf(), generous, AbortSignal.abort())).toEqual({ end: 'died' });
  });

  it('is told from one that crashed when the system kills it', async () => {
    const child = await startChild({ root, memoryBytes: generous.memoryBytes, loincCsv: null });
    const outcome = runInChild(child, {
      request: { ask: 'read', loincCsv: null },
      files: [{ type: 'application/pdf', bytes: endless }],
      limits: generous,
    });
    child.kill('SIGKILL');
    expect(await outcome).toEqual({ end: 'memory_shortage', by: 'kill' });
  });

  it('makes no network request, even if the file refers to a URL', async () => {
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
        request: { ask: 'page', page: 1 },
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

describe('the frames of the protocol', () => {
  it('are decoded correctly, regardless of chunk boundaries', () => {
    const all = Buffer.concat([
      encodeFrame('text', Buffer.from('one')),
      encodeFrame('bytes', Buffer.alloc(0)),
      encodeFrame('progress', Buffer.from('three')),
    ]);
    for (const size of [1, 2, 7, all.length]) {
      const take = createFrameDecoder();
      const got: string[] = [];
      for (let at = 0; at < all.length; at += size) {
        for (const { kind, payload } of take(all.subarray(at, at + size)))
          got.push(`${kind}:${payload.toString()}`);
      }
      expect(got).toEqual(['2:one', '3:', '1:three']);
    }
  });

  it('are rejected when they are too large', () => {
    expect(() => createFrameDecoder()(Buffer.from([2, 255, 255, 255, 255]))).toThrow('too much');
  });
});

/** A PDF of a few hundred bytes whose page decompresses, in two steps, to this content. */
function packed(content: string): Buffer {
  const once = deflateSync(content);
  return pdfOf(deflateSync(once), '/Filter [/FlateDecode /FlateDecode]');
}

/** A PDF that refers to external resources. */
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
