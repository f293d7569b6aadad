import { randomBytes, randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../platform/clock.ts';
import { newSecret } from '../secrets.ts';
import type { SignableMessage } from './batch.ts';
import { signatureHeaderList, toHeaderRecord, timestampOf } from './signature.ts';
import { messageId } from '../../../events/events.ts';
import { openSigner, type Signer } from './signer.ts';

const timestamp = timestampOf(systemClock.now());

describe('the signing thread', () => {
  let signer: Signer;
  beforeAll(async () => {
    signer = openSigner({ cores: 2 });
    await started(signer);
  });
  afterAll(() => signer.close());

  it('makes signatures that receiver libraries verify, each message with its own keys', async () => {
    const events = Array.from({ length: 3 }, (_, n) => ({
      id: messageId(randomUUID()),
      body: Buffer.from(
        JSON.stringify({ n, name: 'Ünïcode ✓', data: randomBytes(n * 3000).toString('hex') }),
      ),
    }));
    const messages = Array.from({ length: 30 }, (_, n) => ({
      ...(events[n % events.length] ?? { id: '', body: Buffer.alloc(0) }),
      keys: n % 4 === 0 ? [newSecret(), newSecret()] : [newSecret()],
    }));
    const signatures = (await signer.sign(messages, timestamp)) ?? [];
    expect(signatures).toHaveLength(messages.length);
    for (const [n, { id, body, keys }] of messages.entries()) {
      const headers = toHeaderRecord(signatureHeaderList(id, { timestamp, signature: signatures[n] ?? '' }));
      for (const key of keys) expect(new Webhook(key).verify(body, headers)).toEqual(JSON.parse(`${body}`));
      expect(() => new Webhook(newSecret()).verify(body, headers)).toThrow();
    }
  });

  it('returns concurrent batches in order, and nothing for messages that cannot be signed', async () => {
    const body = Buffer.from('{}');
    const batches = Array.from({ length: 20 }, (_, n): (SignableMessage | undefined)[] => [
      undefined,
      { id: messageId(randomUUID()), body: n % 2 ? body : Buffer.alloc(0), keys: [newSecret()] },
      undefined,
      { id: messageId(randomUUID()), body, keys: [] },
    ]);
    const together = await Promise.all(batches.map((batch) => signer.sign(batch, timestamp)));
    for (const [n, signatures] of together.entries()) {
      expect(signatures).toEqual(await signer.sign(batches[n] ?? [], timestamp));
      expect(signatures).toEqual(['', expect.stringMatching(/^v1,/), '', '']);
    }
    expect(new Set(together.map((signatures) => signatures?.[1])).size).toBe(batches.length);
  });

  it('does not take ownership of the bodies', async () => {
    const body = Buffer.from('{"still":"here"}');
    await signer.sign([{ id: 'msg_1', body, keys: [newSecret()] }], timestamp);
    expect(body.toString()).toBe('{"still":"here"}');
  });
});

it('is not started on a single core, nor after it was closed', async () => {
  const message = { id: 'msg_1', body: Buffer.from('{}'), keys: [newSecret()] };
  const single = openSigner({ cores: 1 });
  expect(single.sign([message], timestamp)).toBeUndefined();
  const signer = openSigner({ cores: 2 });
  await started(signer);
  await signer.close();
  expect(signer.sign([message], timestamp)).toBeUndefined();
});

it('leaves messages to be signed by the sender when the thread crashes', async () => {
  const falling = { name: 'falling-signer', source: 'test/crashing-thread.ts' };
  const signer = openSigner({ cores: 2, program: falling });
  await started(signer);
  const message = { id: 'msg_1', body: Buffer.from('{}'), keys: [newSecret()] };
  const asked = [1, 2, 3].map(() => signer.sign([message, message], timestamp));
  for (const signatures of await Promise.all(asked)) expect(signatures?.filter(Boolean)).toEqual([]);
  // It is not restarted repeatedly.
  expect(signer.sign([message], timestamp)).toBeUndefined();
  await signer.close();
});

/** The first batch starts the thread, and does not wait for it. */
async function started(signer: Signer): Promise<void> {
  expect(signer.sign([], timestamp)).toBeUndefined();
  await vi.waitUntil(() => signer.sign([], timestamp), { interval: 10, timeout: 50_000 });
}
