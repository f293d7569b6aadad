import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LookupAddress } from 'node:dns';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../platform/config.ts';
import { isPublicAddress } from '../../platform/public-address.ts';
import { scopedLookup } from '../../platform/network/connector.ts';
import type { WebhookResponse } from './response.ts';
import { addressOf, openHttpPoster, type HttpRequest, type HttpPoster } from './http-poster.ts';

import type { ResolveHostname } from '../../platform/network/resolve.ts';
import { validateTarget } from './target.ts';

const sent = (post: HttpPoster, letter: HttpRequest) =>
  new Promise<WebhookResponse>((ended) => {
    post.send(letter, ended);
  });

const server = createServer((_request, response) => response.end('secret'));
/** Far longer than a response takes. */
const LONG_MS = 60_000;
let port = 0;
let reached = 0;
beforeAll(async () => {
  server.on('connection', () => (reached += 1));
  await new Promise<void>((resolve) => server.listen(0, resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const found = (address: string): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 });
/** Resolves to these addresses, one list per call; the last one from then on. */
function answering(...lists: string[][]): ResolveHostname & { asked: () => number } {
  let asked = 0;
  const resolve: ResolveHostname = (_hostname, answer) => {
    const list = lists[Math.min(asked, lists.length - 1)] ?? [];
    asked += 1;
    answer(null, list.map(found));
  };
  return Object.assign(resolve, { asked: () => asked });
}

const look = (resolve: ResolveHostname, all = true) =>
  new Promise<string>((done) => {
    scopedLookup('public', resolve)('name.example', { all }, (error, addresses) =>
      done(
        error
          ? error.message
          : [addresses]
              .flat()
              .map((each) => (typeof each === 'string' ? each : each.address))
              .join(),
      ),
    );
  });

const REFUSED = 'The URL leads to a private address';
// prettier-ignore
const bad = ['127.0.0.1', '::1', '10.1.2.3', '169.254.169.254', 'fd00:ec2::254', '100.100.100.200', '0.0.0.0', '::', '::ffff:127.0.0.1', 'fe80::1', '64:ff9b::7f00:1', '2002:7f00:1::', '224.0.0.1', '255.255.255.255'];

describe('a name', () => {
  it.each(bad)('that resolves to %s is refused when saving and when connecting', async (address) => {
    const before = reached;
    const resolve = answering([address]);
    expect(await look(resolve)).toBe(REFUSED);
    const post = openHttpPoster(LONG_MS, { resolve });
    const letter = {
      address: addressOf(`http://name.example:${port}/`),
      headers: [],
      body: '{}',
      scope: 'public' as const,
    };
    expect(await sent(post, letter)).toMatchObject({ statusCode: null, error: REFUSED });
    await post.close();
    const config = readConfig({ ALLOW_PRIVATE_WEBHOOK_TARGETS: 'false' });
    const rules = { config, environment: 'sandbox' as const, resolve };
    await expect(validateTarget(rules, 'https://name.example/')).rejects.toThrow('private address');
    expect(reached).toBe(before);
  });

  it.each(bad)('with a public address and %s is refused', async (address) => {
    expect(await look(answering(['8.8.8.8', address]))).toBe(REFUSED);
    expect(await look(answering([address, '8.8.8.8']), false)).toBe(REFUSED);
  });

  it('is connected to at the checked addresses, with one lookup', async () => {
    const rebinding = answering(['8.8.8.8', '2606:4700:4700::1111'], ['127.0.0.1']);
    expect(await look(rebinding)).toBe('8.8.8.8,2606:4700:4700::1111');
    expect(rebinding.asked()).toBe(1);
    expect(await look(rebinding)).toBe(REFUSED);
    expect(await look(answering(['8.8.8.8']), false)).toBe('8.8.8.8');
  });

  it('that does not resolve is refused', async () => {
    expect(await look(answering([]))).toBe(REFUSED);
    const failing: ResolveHostname = (_hostname, answer) => answer(new Error('No such name'), []);
    expect(await look(failing)).toBe('No such name');
  });

  it('is refused whenever one of its addresses is, whatever they are', async () => {
    const address = fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom(...bad));
    await fc.assert(
      fc.asyncProperty(fc.array(address, { minLength: 1, maxLength: 4 }), async (addresses) => {
        const taken = (await look(answering(addresses))) !== REFUSED;
        expect(taken).toBe(addresses.every(isPublicAddress));
      }),
      { numRuns: 1000 },
    );
  });

  it('may resolve to any address when private ones are allowed', async () => {
    const post = openHttpPoster(LONG_MS, { resolve: answering(['127.0.0.1']) });
    const letter = {
      address: addressOf(`http://name.example:${port}/`),
      headers: [],
      body: '{}',
      scope: 'private' as const,
    };
    expect(await sent(post, letter)).toMatchObject({ statusCode: 200, response: 'secret' });
    await post.close();
  });
});

it('gives up on a name whose server does not answer', async () => {
  const post = openHttpPoster(200, { resolve: () => {} });
  const letter = {
    address: addressOf('http://hangs.example/'),
    headers: [],
    body: '{}',
    scope: 'public' as const,
  };
  expect(await sent(post, letter)).toMatchObject({
    statusCode: null,
    error: expect.stringMatching(/Timeout|No complete answer/),
  });
  await post.close();
});
