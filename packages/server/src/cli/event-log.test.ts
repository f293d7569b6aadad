import { describe, expect, it } from 'vitest';
import { readLatestPosition, followEvents, type LoggedEvent } from './event-log.ts';
import { RemoteError, type Remote } from './remote.ts';

const eventAt = (position: number): LoggedEvent => ({
  id: `id-${position}`,
  position,
  created_at: '2026-03-02T15:00:00+00:00',
  event_type: 'labtest.order.updated',
  body: {},
});

/** A fake service with an event log that fails when told to. */
function remoteWith(
  log: LoggedEvent[],
  failures: (RemoteError | undefined)[] = [],
): Remote & { asked: () => number } {
  let asked = 0;
  return {
    url: 'http://service',
    orgId: 'org',
    teamId: 'team',
    environment: 'sandbox',
    asked: () => asked,
    request: async ({ query, answer }) => {
      asked += 1;
      const failure = failures.shift();
      if (failure) throw failure;
      const after = Number(query?.['after']);
      const data = log.filter(({ position }) => position > after).slice(0, Number(query?.['limit']));
      const latest = log.at(-1)?.position ?? 0;
      return answer.parse({ data, next_cursor: data.at(-1)?.position ?? after, latest });
    },
  };
}

const { signal } = new AbortController();

describe('the end of the log', () => {
  it.each([[[]], [[1]], [[2]], [[1, 2, 3]], [[7, 9000, 9001]], [[1_000_000_007]]])(
    'of %j is its last',
    async (places) => {
      expect(await readLatestPosition(remoteWith(places.map(eventAt)), signal)).toBe(places.at(-1) ?? 0);
    },
  );

  it('is read with one request', async () => {
    const remote = remoteWith(Array.from({ length: 5000 }, (_, index) => eventAt(3 * index + 1)));
    expect(await readLatestPosition(remote, signal)).toBe(14_998);
    expect(remote.asked()).toBe(1);
  });
});

describe('following the log', () => {
  it('yields each event once, in order, despite temporary failures', async () => {
    const log = Array.from({ length: 250 }, (_, index) => eventAt(2 * index + 1));
    const gone = new RemoteError('Nobody there.');
    const remote = remoteWith(log, [undefined, gone, undefined]);
    const leaving = new AbortController();
    const notes: string[] = [];
    const seen: number[] = [];
    const reading = { after: 5, signal: leaving.signal, note: (text: string) => notes.push(text) };
    for await (const { position } of followEvents(remote, reading)) {
      seen.push(position);
      if (seen.length === 247) leaving.abort();
    }
    expect(seen).toEqual(log.slice(3).map(({ position }) => position));
    expect(notes).toEqual(['Nobody there. Retrying in 1 s.', 'The service is back.']);
  });

  it('ends with a permanent error', async () => {
    const refused = new RemoteError('Team not found', 404);
    const reading = { after: 0, signal, note: () => {} };
    await expect(followEvents(remoteWith([], [refused]), reading).next()).rejects.toBe(refused);
  });
});
