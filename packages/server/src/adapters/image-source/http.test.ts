import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { openImageServer, pngLogo } from '../../../test/logos.ts';
import { createHttpImageSource } from './http.ts';

const BYTES_MAX = 512 * 1024;

const closers: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const source = createHttpImageSource();
const rules = { scope: 'loopback', requiresHttps: false, bytesMax: BYTES_MAX } as const;

async function serve(answer: Parameters<typeof openImageServer>[0]): Promise<string> {
  const server = await openImageServer(answer);
  closers.push(server.close);
  return server.url;
}

it('returns the bytes of an image', async () => {
  const url = await serve((_request, response) => response.end(pngLogo()));
  expect(await source.fetch(url, rules)).toEqual(pngLogo());
});

it('stops reading at the limit, whatever the length is said to be', async () => {
  let sent = 0;
  const url = await serve((_request, response) => {
    const piece = Buffer.alloc(64 * 1024);
    const more = () => {
      while (!response.destroyed && response.write(piece)) sent += piece.length;
    };
    response.on('drain', more).on('error', () => {});
    more();
  });
  await expect(source.fetch(url, rules)).rejects.toMatchObject({ isTemporary: false });
  expect(sent).toBeLessThan(BYTES_MAX * 40);
});

it('gives up a server that is too slow, between headers and bytes too', async () => {
  const sockets: Socket[] = [];
  const mute: Server = createServer((socket) => void sockets.push(socket.on('error', () => {})));
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    mute.close();
  });
  const { port } = mute.address() as AddressInfo;
  const dripping = await serve((_request, response) => void response.write(pngLogo().subarray(0, 20)));
  for (const url of [`http://127.0.0.1:${port}`, dripping]) {
    await expect(createHttpImageSource({ timeoutMs: 300 }).fetch(url, rules)).rejects.toMatchObject({
      isTemporary: true,
      message: 'The server did not send the image within 0.3 s',
    });
  }
});

it('connects to no name that resolves to a private address', async () => {
  const url = await serve((_request, response) => response.end(pngLogo()));
  const rebound = url.replace('127.0.0.1', 'logo.example');
  const resolve = (
    _name: string,
    found: (error: null, addresses: { address: string; family: 4 }[]) => void,
  ) =>
    found(null, [
      { address: '93.184.216.34', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ]);
  const fetching = createHttpImageSource({ resolve }).fetch(rebound, { ...rules, scope: 'public' });
  await expect(fetching).rejects.toMatchObject({ message: 'The URL leads to a private address' });
});
