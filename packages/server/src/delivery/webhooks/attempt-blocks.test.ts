import { describe, expect, it } from 'vitest';
import { outcomeOf, type AttemptAnswer } from '../../../test/attempt-outcomes.ts';
import { MINUTE } from '../../platform/clock.ts';
import { initialDataKeys, tenantCipher } from '../../platform/crypto/cipher.ts';
import { partitionBlocks } from './attempt-blocks.ts';
import { newBlockId, openBlock, removeEvents, sealBlock, type StoredAttemptBlock } from './block.ts';
import { bundledMessageId, newBundleId, type MessageBundle } from './bundle.ts';
import type { ClaimedMessage } from './claim.ts';
import type { CachedEndpoint } from './endpoint-cache.ts';
import type { AttemptOutcome } from './outcome.ts';

const cipher = tenantCipher(initialDataKeys(Buffer.alloc(32, 1)), 'team/sandbox');
const tenant = { teamId: '01900000-0000-7000-8000-000000000001', environment: 'sandbox' } as const;
const NOON = new Date('2026-03-02T12:00:00Z');
const at = (ms: number): Date => new Date(NOON.getTime() + ms);
const endpointOf = (url: string): CachedEndpoint => ({
  url,
  address: () => {
    throw new Error('Nothing is sent');
  },
  headers: () => ({ names: [], rawHeaders: [] }),
  secrets: () => {
    throw new Error('Nothing is signed');
  },
});
const HERE = endpointOf('http://here');

interface MessageChange {
  readonly endpointId?: string;
  readonly endpoint?: CachedEndpoint;
  readonly attempts?: number;
  readonly test?: boolean;
  readonly offset?: number;
  readonly bundle?: MessageBundle;
}

function message(
  n: number,
  { endpointId = 'a', endpoint = HERE, ...change }: MessageChange = {},
): ClaimedMessage {
  const { attempts = 0, test = false, offset = 0, bundle } = change;
  return {
    row: {
      team_id: tenant.teamId,
      environment: tenant.environment,
      id: bundle ? bundledMessageId(bundle.id, n + 1) : `message-${n}`,
      endpoint_id: endpointId,
      event_id: `event-${n}`,
      place: '(0,1)',
      bundle,
      attempts,
      revision: 1,
      troubled: false,
      clock_offset_ms: offset,
    },
    event: {
      tenant,
      type: 'test.something.happened',
      test,
      createdAt: new Date(0),
      traceparent: null,
      bytes: 10,
      body: () => Buffer.from('{}'),
    },
    endpoint,
    cipher,
    presigned: undefined,
  };
}
const bundleOf = (size: number): MessageBundle => ({
  id: newBundleId(),
  place: '(0,2)',
  size,
  unpacked: false,
});
const some = (count: number, change: MessageChange = {}, answer: AttemptAnswer = 'ok', endedAt = NOON) =>
  Array.from({ length: count }, (_, n) => outcomeOf(message(n, change), answer, endedAt));

describe('outcomes', () => {
  const [three, eight] = [bundleOf(3), bundleOf(8)];
  const torn = { ...bundleOf(4), unpacked: true };
  // prettier-ignore
  const cases: [string, AttemptOutcome[], blocks: number[], others: number][] = [
    ['of four deliveries',                           some(4),                                                           [4],    0],
    ['of three',                                     some(3),                                                           [],     3],
    ['of four that failed',                          some(4, {}, 'retry'),                                              [],     4],
    ['of four second attempts',                      some(4, { attempts: 1 }),                                          [],     4],
    ['of four tests',                                some(4, { test: true }),                                           [],     4],
    ['to two endpoints',                             [...some(4), ...some(5, { endpointId: 'b' })],                     [4, 5], 0],
    ['to two endpoints, few of each',                [...some(3), ...some(3, { endpointId: 'b' })],                     [],     6],
    ['in two spans of five minutes',                 [...some(4), ...some(4, {}, 'ok', at(5 * MINUTE))],                [4, 4], 0],
    ['in two spans, few of each',                    [...some(3), ...some(3, {}, 'ok', at(5 * MINUTE))],                [],     6],
    ['at both ends of a span',                       [...some(2), ...some(2, {}, 'ok', at(5 * MINUTE - 1))],            [4],    0],
    ['in two spans by the clock of the team',        [...some(4), ...some(4, { offset: 5 * MINUTE })],                  [4, 4], 0],
    ['of a whole bundle and others',                 [...some(8, { bundle: eight }), ...some(2)],                       [10],   0],
    ['of a whole small bundle',                      some(3, { bundle: three }),                                        [],     3],
    ['of a bundle without its last message',         [...some(7, { bundle: bundleOf(8) }), ...some(4)],                 [4],    7],
    ['of a bundle of which one failed',              [...some(4, { bundle: eight }), ...some(4, { bundle: eight }, 'retry')], [], 8],
    ['of a bundle in two spans',                     [...some(4, { bundle: eight }), ...some(4, { bundle: eight }, 'ok', at(5 * MINUTE))], [], 8],
    ['of a bundle that was unpacked',                some(4, { bundle: torn }),                                         [],     4],
  ];
  it.each(cases)('%s are in blocks of %j', (_what, outcomes, sizes, rest) => {
    const { blocks, others } = partitionBlocks(outcomes);
    expect(blocks.map(({ length }) => length)).toEqual(sizes.filter((size) => size > 0));
    expect(others).toHaveLength(rest);
    expect(new Set([...blocks.flat(), ...others])).toEqual(new Set(outcomes));
    for (const block of blocks)
      expect(new Set(block.map(({ claimed }) => claimed.row.endpoint_id)).size).toBe(1);
  });
});

describe('a sealed block', () => {
  const [one, two, three, four] = some(4);
  const answering = (
    outcome: AttemptOutcome | undefined,
    ms: number,
    response: Partial<AttemptOutcome['response']> = {},
  ) => {
    if (!outcome?.sent) throw new Error('Nothing was sent');
    return {
      ...outcome,
      endedAt: at(ms),
      sent: { ...outcome.sent, timestamp: `${ms}`, signature: `v1,${ms}` },
      response: { ...outcome.response, durationMs: ms + 1, ...response },
    };
  };
  // prettier-ignore
  const outcomes = [
    answering(one,   0,  { headers: { 'x-a': '1' } }),
    answering(two,   5,  { headers: { 'x-a': '1' } }),
    answering(three, 9,  { headers: { 'x-a': '2' } }),
    answering(four,  20, { headers: { 'x-a': '2', 'x-b': '1' } }),
    answering(one,   21, { headers: { 'x-a': '2', 'x-b': '1' }, statusCode: 201 }),
    answering(one,   22, { headers: { 'x-a': '2', 'x-b': '1' }, statusCode: 201, response: 'other' }),
    answering(one,   23, { headers: { 'x-a': '2' },             statusCode: 201, response: 'other' }),
  ];
  const stored = (given: readonly AttemptOutcome[]): StoredAttemptBlock => ({
    id: newBlockId(),
    first_at: NOON,
    event_ids: given.map((_, n) => `event-${n}`),
    attempts: sealBlock(cipher, given),
  });
  const contentOf = ({ attempts }: Pick<StoredAttemptBlock, 'attempts'>) =>
    JSON.parse(cipher.openChunk(attempts, 'webhook_attempt_block.attempts').toString());

  it('opens as the attempts that it was made of', () => {
    const block = stored(outcomes);
    expect(openBlock(cipher, block)).toEqual(
      outcomes.map(({ endedAt, response, sent }, n) => ({
        id: `${block.id.slice(0, 15)}00${n}${block.id.slice(18)}`,
        eventId: `event-${n}`,
        at: endedAt,
        statusCode: response.statusCode,
        durationMs: response.durationMs,
        exchange: { sent, response_headers: response.headers, response: response.response },
      })),
    );
  });

  it('contains equal requests and responses once', () => {
    const content = contentOf(stored(outcomes));
    expect([content.sent.length, content.answers.length]).toEqual([1, 6]);
    const there = some(4, { endpoint: endpointOf('http://there') }).map((outcome) => ({
      ...outcome,
      sent: outcome.sent && { ...outcome.sent, url: 'http://there' },
    }));
    const both = stored([...some(2), ...there.slice(0, 2)]);
    expect(contentOf(both).sent).toHaveLength(2);
    expect(openBlock(cipher, both).map(({ exchange }) => exchange.sent?.url)).toEqual([
      'http://x',
      'http://x',
      'http://there',
      'http://there',
    ]);
  });

  it('cannot be made of an attempt that was not sent', () => {
    expect(() =>
      sealBlock(
        cipher,
        some(4).map((outcome) => ({ ...outcome, sent: null })),
      ),
    ).toThrow('An attempt that was not sent cannot have succeeded');
  });

  it('is inconsistent without an event for each attempt', () => {
    const block = stored(outcomes);
    expect(() => openBlock(cipher, { ...block, event_ids: block.event_ids.slice(1) })).toThrow(
      'inconsistent',
    );
  });

  it('without some events keeps the others as they were, and no response of the removed ones', () => {
    const block = stored(outcomes);
    const before = openBlock(cipher, block);
    const changed = removeEvents(cipher, block, new Set(['event-0', 'event-2', 'event-5', 'other']));
    if (!changed) throw new Error('Nothing is left');
    expect(changed.event_ids).toEqual(['event-1', 'event-3', 'event-4', 'event-6']);
    expect(openBlock(cipher, { ...block, ...changed })).toEqual(
      before.filter(({ eventId }) => changed.event_ids.includes(eventId)),
    );
    expect(
      contentOf(changed).answers.map(({ headers, response }: AttemptOutcome['response']) => [
        headers,
        response,
      ]),
    ).toEqual([
      [{ 'x-a': '1' }, 'response'],
      [{}, ''],
      [{ 'x-a': '2', 'x-b': '1' }, 'response'],
      [{ 'x-a': '2', 'x-b': '1' }, 'response'],
      [{}, ''],
      [{ 'x-a': '2' }, 'other'],
    ]);
    expect(removeEvents(cipher, block, new Set(block.event_ids))).toBeUndefined();
  });
});
