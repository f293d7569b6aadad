import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { WebhookResponse } from './response.ts';
import type { TargetScope } from '../../platform/public-address.ts';
import { addressOf, openHttpPoster, type HttpPoster, type HttpPosterOptions } from './http-poster.ts';

/** Far longer than any response here takes, even if the process is suspended for seconds. */
const LONG_MS = 60_000;
/** For tests of the timeout only. */
const SHORT_MS = 300;

const servers: Server[] = [];
const posts: HttpPoster[] = [];
let post: HttpPoster;
const open = (patienceMs: number, options?: HttpPosterOptions): HttpPoster => {
  const opened = openHttpPoster(patienceMs, options);
  posts.push(opened);
  return opened;
};
beforeEach(() => {
  post = open(LONG_MS);
});
afterEach(async () => {
  await Promise.all(posts.splice(0).map((each) => each.close()));
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function listening(listener: RequestListener): Promise<string> {
  // The server must not close an idle connection while the process is suspended.
  const server = createServer({ keepAliveTimeout: LONG_MS }, listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}/hook?a=1`;
}

const send = (url: string, { by = post, scope = 'private' as TargetScope } = {}) =>
  new Promise<WebhookResponse>((ended) => {
    by.send({ address: addressOf(url), headers: ['x-a', '1'], body: '{}', scope }, ended);
  });

/** A poster whose timeout the test triggers. */
function openInHand(): { by: HttpPoster; runOut: () => void } {
  const runOuts: (() => void)[] = [];
  const by = open(SHORT_MS, {
    deadlinesOf: (_patienceMs, over) => {
      const open = new Set<Parameters<typeof over>[0]>();
      runOuts.push(() => open.forEach(over));
      return {
        add: (posting) => void open.add(posting),
        delete: (posting) => void open.delete(posting),
        close: () => {},
      };
    },
  });
  return { by, runOut: () => runOuts.forEach((runOut) => runOut()) };
}

/** Waits until the client has read a part of a body from this server. */
async function bodyBegun(url: string, run: () => void): Promise<void> {
  const { origin } = new URL(url);
  const channel = 'undici:request:bodyChunkReceived';
  await new Promise<void>((resolve) => {
    const heard = (message: unknown) => {
      const { request } = message as { request: { origin: string } };
      if (request.origin !== origin) return;
      unsubscribe(channel, heard);
      resolve();
    };
    subscribe(channel, heard);
    run();
  });
}

it('posts the body with its headers to the whole path', async () => {
  const url = await listening((request, response) => {
    request.resume();
    response.end(
      `${request.method} ${request.url} ${request.headers['x-a']} ${request.headers['content-length']}`,
    );
  });
  expect(await send(url)).toMatchObject({ statusCode: 200, error: null, response: 'POST /hook?a=1 1 2' });
});

it('keeps its connection alive between messages', async () => {
  const url = await listening((_request, response) => response.end('ok'));
  let connections = 0;
  servers[0]?.on('connection', () => (connections += 1));
  for (let index = 0; index < 5; index += 1) await send(url);
  // The pool may open a second one when a message follows before the first has quite ended.
  expect(connections).toBeLessThanOrEqual(2);
});

it('gives up when no response starts in time', async () => {
  const url = await listening(() => {});
  const answered = await send(url, { by: open(SHORT_MS) });
  expect(answered).toMatchObject({ statusCode: null, error: 'No complete answer within 0.3 s' });
  expect(answered.durationMs).toBeGreaterThanOrEqual(SHORT_MS - 1);
});

it('treats a 200 with an incomplete body as a failure', async () => {
  const url = await listening((_request, response) => {
    response.writeHead(200);
    response.write('so far');
  });
  const { by, runOut } = openInHand();
  let answered: Promise<WebhookResponse> | undefined;
  await bodyBegun(url, () => {
    answered = send(url, { by });
  });
  runOut();
  expect(await answered).toMatchObject({
    statusCode: 200,
    response: 'so far',
    error: 'No complete answer within 0.3 s',
  });
});

it('reads the first 16 KiB of an endless body and closes', async () => {
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

it('gives up on a body that drips', async () => {
  let closed = false;
  const drips = await listening((_request, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('x'), 20);
    response.on('close', () => {
      closed = true;
      clearInterval(timer);
    });
  });
  const { by, runOut } = openInHand();
  let answered: Promise<WebhookResponse> | undefined;
  await bodyBegun(drips, () => {
    answered = send(drips, { by });
  });
  runOut();
  expect(await answered).toMatchObject({ statusCode: 200, error: 'No complete answer within 0.3 s' });
  await expect.poll(() => closed).toBe(true);
});

it('has one timeout for the whole response, however often a part of it arrives', async () => {
  const drips = await listening((_request, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(timer));
  });
  const answered = await send(drips, { by: open(SHORT_MS) });
  expect(answered.error).toBe('No complete answer within 0.3 s');
});

it('gives up on headers that never end', async () => {
  const endless = await listening(({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    const timer = setInterval(() => socket.write(`x-${'a'.repeat(1000)}: 1\r\n`), 1);
    socket.on('close', () => clearInterval(timer));
    socket.on('error', () => {});
  });
  expect(await send(endless)).toMatchObject({ statusCode: null, error: expect.any(String) });
});

it('reports why the connection failed', async () => {
  // Nothing listens on the first port, and the system never assigns it.
  const refused = await send('http://127.0.0.1:1/');
  expect(refused).toMatchObject({ statusCode: null, error: expect.stringContaining('ECONNREFUSED') });
  // The system resolver fails without asking a name server.
  const by = open(LONG_MS, {
    resolve: (hostname, found) => found(new Error(`getaddrinfo ENOTFOUND ${hostname}`), []),
  });
  expect(await send('http://nobody.invalid/', { by })).toMatchObject({
    statusCode: null,
    error: expect.stringContaining('nobody.invalid'),
  });
});

it('reports a broken response', async () => {
  const url = await listening((request) => request.socket.end('HTTP/9 nonsense\r\n\r\n'));
  expect((await send(url)).error).not.toBeNull();
});

it('opens no connection to a private address', async () => {
  let connections = 0;
  const url = await listening((_request, response) => response.end());
  servers[0]?.on('connection', () => (connections += 1));
  const port = new URL(url).port;
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:7f00:1]', '0x7f.1']) {
    expect(await send(`http://${host}:${port}/`, { scope: 'public' })).toMatchObject({
      error: expect.stringContaining('private address'),
    });
  }
  expect(connections).toBe(0);
});
