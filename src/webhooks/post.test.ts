import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, expect, it } from 'vitest';
import type { Answered } from './answered.ts';
import { addressOf, openPost } from './post.ts';

const post = openPost(300);
afterAll(() => post.close());

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listening(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}/hook?a=1`;
}

const send = (url: string, privateAllowed = true) =>
  new Promise<Answered>((ended) => {
    post.send({ address: addressOf(url), headers: ['x-a', '1'], body: '{}', privateAllowed }, ended);
  });

it('posts the body with its headers to the whole path', async () => {
  const url = await listening((request, response) => {
    request.resume();
    response.end(
      `${request.method} ${request.url} ${request.headers['x-a']} ${request.headers['content-length']}`,
    );
  });
  expect(await send(url)).toMatchObject({ statusCode: 200, error: null, response: 'POST /hook?a=1 1 2' });
});

it('keeps its connection from one message to the next', async () => {
  const url = await listening((_request, response) => response.end('ok'));
  let connections = 0;
  servers[0]?.on('connection', () => (connections += 1));
  for (let index = 0; index < 5; index += 1) await send(url);
  // The pool may open a second one when a message follows before the first has quite ended.
  expect(connections).toBeLessThanOrEqual(2);
});

it('gives up when no answer begins in time', async () => {
  const url = await listening(() => {});
  const answered = await send(url);
  expect(answered).toMatchObject({ statusCode: null, error: 'No complete answer within 0.3 s' });
  expect(answered.durationMs).toBeLessThan(1000);
});

it('takes a 200 whose body does not end in time for no success', async () => {
  const url = await listening((_request, response) => {
    response.writeHead(200);
    response.write('so far');
  });
  const answered = await send(url);
  expect(answered).toMatchObject({
    statusCode: 200,
    response: 'so far',
    error: 'No complete answer within 0.3 s',
  });
});

it('reads the first 16 KiB of an endless body and goes', async () => {
  let closed = false;
  const url = await listening((_request, response) => {
    const timer = setInterval(() => response.write('x'.repeat(4096)), 1);
    response.on('close', () => {
      closed = true;
      clearInterval(timer);
    });
  });
  const answered = await send(url);
  expect(answered).toMatchObject({ statusCode: 200, error: null });
  expect(answered.response).toHaveLength(16 * 1024);
  await expect.poll(() => closed).toBe(true);
});

it('gives up on a body that drips, and on headers that never end', async () => {
  const drips = await listening((_request, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(timer));
  });
  expect(await send(drips)).toMatchObject({ statusCode: 200, error: 'No complete answer within 0.3 s' });
  const endless = await listening(({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    const timer = setInterval(() => socket.write(`x-${'a'.repeat(1000)}: 1\r\n`), 1);
    socket.on('close', () => clearInterval(timer));
    socket.on('error', () => {});
  });
  expect(await send(endless)).toMatchObject({ statusCode: null, error: expect.any(String) });
});

it('says why nobody was reached', async () => {
  const url = await listening(() => {});
  servers[0]?.close();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await send(url)).toMatchObject({ statusCode: null, error: expect.stringContaining('ECONNREFUSED') });
  expect(await send('http://nobody.invalid/')).toMatchObject({
    error: expect.stringContaining('nobody.invalid'),
  });
});

it('says that a broken answer is one', async () => {
  const url = await listening((request) => request.socket.end('HTTP/9 nonsense\r\n\r\n'));
  expect((await send(url)).error).not.toBeNull();
});

it('opens no connection to a private address', async () => {
  let connections = 0;
  const url = await listening((_request, response) => response.end());
  servers[0]?.on('connection', () => (connections += 1));
  const port = new URL(url).port;
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:7f00:1]', '0x7f.1']) {
    expect(await send(`http://${host}:${port}/`, false)).toMatchObject({
      error: expect.stringContaining('private address'),
    });
  }
  expect(connections).toBe(0);
});
