import { createServer, type RequestListener, type Server } from 'node:http';
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { site, slotBookingRequest, visitRequest } from '../../../test/scheduling.ts';
import { readConfig } from '../../platform/config.ts';
import { createSchedulingProviders } from './choose.ts';
import { createHttpSchedulingProvider } from './http.ts';
import type { SchedulingProvider } from './port.ts';
import { startSchedulingSimulator } from './simulator-server.ts';

const now = new Date('2026-03-02T15:00:00Z');
const TOKEN = 'sixteen-letters-or-more';
const slot = {
  slotId: 's1',
  startAt: new Date('2026-03-03T15:00:00Z'),
  endAt: new Date('2026-03-03T15:15:00Z'),
  places: 1,
  price: 0,
  isPriority: false,
};

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A fake scheduler with configured responses, and a client for it. */
async function against(listener: RequestListener, timeoutMs = 60_000): Promise<SchedulingProvider> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return createHttpSchedulingProvider('quest', {
    url: `http://127.0.0.1:${port}/v1/`,
    token: TOKEN,
    timeoutMs,
  });
}

const answering =
  (status: number, body: unknown, headers: Record<string, string> = {}): RequestListener =>
  (_asked, answer) => {
    answer.writeHead(status, { 'content-type': 'application/json', ...headers });
    answer.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

const asked = { places: [site()], from: '2026-03-02', days: 14, now };
const visit = {
  appointment_id: 'a1',
  provider_id: 'p1',
  external_id: null,
  status: 'confirmed',
  start_at: '2026-03-03T15:00:00Z',
  end_at: '2026-03-03T10:15:00-05:00',
  said: null,
};
const wireSlot = {
  slot_id: 's1',
  start_at: '2026-03-03T15:00:00Z',
  end_at: '2026-03-03T15:15:00Z',
  places: 2,
  price: 0,
  is_priority: false,
};
const slots = (...some: object[]) => ({ places: [{ code: 'NYC01', slots: some }] });

describe('responses of a scheduler', () => {
  it('are read with any UTC offset, sorted, without full or started slots, for the requested locations', async () => {
    const body = {
      places: [
        { code: 'STRANGE', slots: [wireSlot] },
        {
          code: 'NYC01',
          slots: [
            {
              ...wireSlot,
              slot_id: 's2',
              start_at: '2026-03-04T15:00:00+00:00',
              end_at: '2026-03-04T16:00:00+00:00',
            },
            wireSlot,
            { ...wireSlot, slot_id: 'full', places: 0 },
            { ...wireSlot, slot_id: 'begun', start_at: '2026-03-02T15:00:00Z' },
          ],
        },
      ],
    };
    const [answer, ...more] = await (await against(answering(200, body))).availability(asked);
    expect(more).toEqual([]);
    expect(answer?.slots.map(({ slotId }) => slotId)).toEqual(['s1', 's2']);
    expect(await (await against(answering(200, visit))).book(slotBookingRequest('a1', slot))).toMatchObject({
      providerId: 'p1',
      endAt: slot.endAt,
    });
  });

  // prettier-ignore
  const broken: [string, unknown][] = [
    ['nothing',                        ''],
    ['no JSON',                        '<html>'],
    ['a list',                         []],
    ['no places',                      {}],
    ['a slot that ends before',        slots({ ...wireSlot, end_at: wireSlot.start_at })],
    ['a local time without offset',    slots({ ...wireSlot, start_at: '2026-03-03T15:00:00' })],
    ['a negative price',               slots({ ...wireSlot, price: -1 })],
    ['half a place',                   slots({ ...wireSlot, places: 0.5 })],
    ['a slot without a name',          slots({ ...wireSlot, slot_id: '' })],
  ];
  it.each(broken)('reject slots with %s', async (_what, body) => {
    const asking = (await against(answering(200, body))).availability(asked);
    await expect(asking).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('cannot be read'),
    });
  });

  // prettier-ignore
  const strange: [string, object][] = [
    ['of another appointment',         { ...visit, appointment_id: 'a2' }],
    ['of a status that is none',       { ...visit, status: 'maybe' }],
    ['confirmed without a time',       { ...visit, start_at: null, end_at: null }],
    ['with half a time',               { ...visit, status: 'pending', end_at: null }],
    ['that ends before it starts',     { ...visit, end_at: visit.start_at }],
    ['without an id',                  { ...visit, provider_id: undefined }],
    ['with a novel',                   { ...visit, said: 'x'.repeat(1001) }],
  ];
  it.each(strange)('reject an appointment %s', async (_what, body) => {
    const asking = (await against(answering(200, body))).book(slotBookingRequest('a1', slot));
    await expect(asking).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('cannot be read'),
    });
  });

  it('are rejected above 8 MB without reading them to the end', async () => {
    let sent = 0;
    const endless: RequestListener = (_asked, answer) => {
      answer.writeHead(200);
      const more = () => {
        while (!answer.destroyed && answer.write('x'.repeat(65_536))) sent += 65_536;
        sent += 65_536;
      };
      answer.on('drain', more);
      more();
    };
    const asking = (await against(endless)).availability(asked);
    await expect(asking).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('longer than'),
    });
    expect(sent).toBeLessThan(32 * 1024 * 1024);
  });

  it('time out before the headers and in the middle of the body', async () => {
    const late = { kind: 'unavailable', message: expect.stringContaining('within 60 ms') };
    await expect((await against(() => {}, 60)).book(slotBookingRequest('a1', slot))).rejects.toMatchObject(
      late,
    );
    const halting: RequestListener = (_asked, answer) => void answer.writeHead(200).write('{"places":');
    await expect((await against(halting, 60)).availability(asked)).rejects.toMatchObject(late);
  });

  it('must be complete', async () => {
    const breaking: RequestListener = (_asked, answer) => {
      answer.writeHead(200, { 'content-length': '100' }).write('{');
      setImmediate(() => answer.destroy());
    };
    const off = { kind: 'unavailable' };
    await expect((await against(breaking)).availability(asked)).rejects.toMatchObject(off);
    const nobody = createHttpSchedulingProvider('quest', { url: 'http://127.0.0.1:1/', token: TOKEN });
    await expect(nobody.availability(asked)).rejects.toMatchObject({
      ...off,
      message: expect.stringContaining('reached'),
    });
  });

  // prettier-ignore
  const refusals: [number, object, string, number | undefined][] = [
    [400, { code: 'bad_request', message: 'No such day' }, 'bad_request', undefined],
    [422, { code: 'refused', message: 'Too young' },       'bad_request', undefined],
    [404, {},                                               'bad_request', undefined],
    [409, { code: 'other', message: 'No' },                'bad_request', undefined],
    [401, {},                                               'unavailable', 30],
    [403, {},                                               'unavailable', 30],
    [302, {},                                               'unavailable', 30],
    [429, {},                                               'unavailable', 7],
    [500, {},                                               'unavailable', 7],
    [503, {},                                               'unavailable', 7],
  ];
  it.each(refusals)('%s with %j is %s', async (status, body, kind, retryAfterSeconds) => {
    const headers: Record<string, string> = retryAfterSeconds === 7 ? { 'retry-after': '7' } : {};
    const asking = (await against(answering(status, body, headers))).book(slotBookingRequest('a1', slot));
    await expect(asking).rejects.toMatchObject({ kind, retryAfterSeconds });
  });

  it('report a taken slot and an unknown appointment', async () => {
    const taken = await against(answering(409, { code: 'slot_taken', message: 'Gone' }));
    expect(await taken.book(slotBookingRequest('a1', slot))).toBe('taken');
    expect(await taken.reschedule({ ...slotBookingRequest('a1', slot), providerId: 'p1' })).toBe('taken');
    const none = await against(answering(404, { code: 'not_found', message: 'None' }));
    expect(await none.look({ appointmentId: 'a1', last: undefined, now })).toBeUndefined();
    await none.cancel({ appointmentId: 'a1', reason: 'PATIENT', note: null });
    await expect(none.cancel({ appointmentId: 'a1', reason: 'x', note: null })).resolves.toBeUndefined();
  });
});

describe('requests to a scheduler', () => {
  it('carry the token and no personal data in the URL', async () => {
    const seen: { method: string | undefined; url: string | undefined; token: string | undefined }[] = [];
    const provider = await against(({ method, url, headers }, answer) => {
      seen.push({ method, url, token: headers.authorization });
      answering(200, visit)({} as never, answer as never);
    });
    const last = {
      providerId: 'p1',
      externalId: null,
      status: 'reserved',
      startAt: null,
      endAt: null,
      said: null,
    } as const;
    await provider.book(slotBookingRequest('a1', slot));
    await provider.reschedule({ ...slotBookingRequest('a1', slot), providerId: 'p1' });
    await provider.confirm({ appointmentId: 'a1', last });
    await provider.cancel({ appointmentId: 'a1', reason: 'PATIENT', note: null });
    await provider.look({ appointmentId: 'a1', last, now });
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'PUT /v1/appointments/a1',
      'POST /v1/appointments/a1/reschedule',
      'POST /v1/appointments/a1/confirm',
      'POST /v1/appointments/a1/cancel',
      'GET /v1/appointments/a1?asked_at=2026-03-02T15%3A00%3A00.000%2B00%3A00',
    ]);
    expect(new Set(seen.map(({ token }) => token))).toEqual(new Set([`Bearer ${TOKEN}`]));
  });

  it('are rejected by the simulator with a wrong token, and are separate for each provider', async () => {
    const simulator = await startSchedulingSimulator({ token: TOKEN });
    const wrong = createHttpSchedulingProvider('quest', {
      url: simulator.url('quest'),
      token: 'another-token-than-that',
    });
    await expect(wrong.availability(asked)).rejects.toMatchObject({ kind: 'unavailable' });
    const url = simulator.url('phlebfinders');
    const phlebfinders = createHttpSchedulingProvider('phlebfinders', { url, token: TOKEN });
    const id = randomUUID();
    await phlebfinders.request(visitRequest(id));
    const quest = createHttpSchedulingProvider('quest', { url: simulator.url('quest'), token: TOKEN });
    expect(await quest.look({ appointmentId: id, last: undefined, now })).toBeUndefined();
    expect(await phlebfinders.look({ appointmentId: id, last: undefined, now })).toMatchObject({
      status: 'pending',
    });
    await simulator.close();
  });
});

describe('configured providers', () => {
  const url = 'https://scheduler.example.com/v1/';

  it('are all four in the sandbox, and the connected ones in production', () => {
    const none = createSchedulingProviders(readConfig({}));
    expect(Object.keys(none.sandbox)).toEqual(['quest', 'sonora_quest', 'getlabs', 'phlebfinders']);
    expect(none.production).toEqual({});
    const some = createSchedulingProviders(
      readConfig({
        SCHEDULING_SONORA_QUEST_URL: url,
        SCHEDULING_SONORA_QUEST_TOKEN: TOKEN,
        SCHEDULING_PHLEBFINDERS_URL: url,
        SCHEDULING_PHLEBFINDERS_TOKEN: TOKEN,
      }),
    );
    const connected = Object.values(some.production).map((one) => one && [one.name, one.kind]);
    expect(connected).toEqual([
      ['sonora_quest', 'slots'],
      ['phlebfinders', 'request'],
    ]);
  });

  // prettier-ignore
  const wrong: [Record<string, string>, string][] = [
    [{ SCHEDULING_QUEST_URL: url },                                   'SCHEDULING_QUEST_TOKEN: expected, because SCHEDULING_QUEST_URL is set'],
    [{ SCHEDULING_GETLABS_URL: 'scheduler.example.com' },             'SCHEDULING_GETLABS_URL: expected a URL that ends with a slash'],
    [{ SCHEDULING_GETLABS_URL: `${url}?x=/` },                        'SCHEDULING_GETLABS_URL: expected a URL that ends with a slash'],
    [{ SCHEDULING_GETLABS_TOKEN: 'short' },                           'SCHEDULING_GETLABS_TOKEN: expected a bearer token'],
    [{ SCHEDULING_GETLABS_TOKEN: 'sixteen letters\r\nor more' },      'SCHEDULING_GETLABS_TOKEN: expected a bearer token'],
  ];
  it.each(wrong)('refuses %j', (environment, message) => {
    expect(() => readConfig(environment)).toThrow(message);
  });
});
