import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  EASYPOST_KEY,
  EASYPOST_SECRET,
  openEasyPost,
  signTrackerEvent,
  signWebhook,
  type EasyPostStandIn,
} from '../../../test/easypost.ts';
import { easyPostCourier } from './easypost.ts';
import { toParcelStatus, PARCEL_STATUS_BY_TRACKER_STATUS } from './easypost-wire.ts';
import {
  PARCEL_STATUSES,
  type Courier,
  type CourierParcel,
  type ParcelStatus,
  type CourierWebhook,
} from './port.ts';
import { createSimulatedCourier } from './simulated.ts';

const sender = {
  name: 'Kit house',
  street: '1 Warehouse Way',
  secondLine: null,
  city: 'Oakland',
  state: 'CA',
  zip: '94607',
  country: 'US',
  phone: '+15105550100',
};

const ada = {
  ...sender,
  name: 'Ada Lovelace',
  street: '548 Market Street',
  secondLine: 'Apt 4',
  zip: '94104',
};

let parcels = 0;
/** A new parcel. */
const parcel = (leg: CourierParcel['leg'] = 'outbound'): CourierParcel => ({
  parcelId: `order-${(parcels += 1)}/${leg}`,
  leg,
  from: leg === 'outbound' ? null : ada,
  to: leg === 'outbound' ? ada : sender,
});

let standIn: EasyPostStandIn;
beforeAll(async () => {
  standIn = await openEasyPost();
});
afterAll(() => standIn.close());

const realCourier = (change: { apiKey?: string; url?: string } = {}) =>
  easyPostCourier({
    apiKey: EASYPOST_KEY,
    webhookSecret: EASYPOST_SECRET,
    url: standIn.url,
    sender,
    kitOunces: 8,
    ...change,
  });

const simulatedNews = (status: ParcelStatus): CourierWebhook => {
  const body = Buffer.from(
    JSON.stringify({ id: 'n1', tracking_number: '94001', status, at: '2026-03-03T10:00:00Z' }),
  );
  return { headers: { 'x-hmac-signature': signWebhook('simulated', body) }, body };
};

const easyPostNews = (status: ParcelStatus): CourierWebhook => {
  const word =
    Object.entries(PARCEL_STATUS_BY_TRACKER_STATUS).find(([, ours]) => ours === status)?.[0] ?? 'in_transit';
  const detail = status === 'lost' ? 'lost' : 'unknown';
  return signTrackerEvent({
    tracker: { tracking_code: '94001' },
    status: word,
    detail,
    at: '2026-03-03T10:00:00Z',
  });
};

/** The contract of every implementation of the port. */
const bodies: [string, () => Courier, (status: ParcelStatus) => CourierWebhook][] = [
  ['the simulated courier', createSimulatedCourier, simulatedNews],
  ['EasyPost', realCourier, easyPostNews],
];

describe.each(bodies)('%s', (_name, open, pushed) => {
  it('buys one label for each parcel', async () => {
    const courier = open();
    const out = parcel();
    const label = await courier.buyLabel(out);
    expect(label).toMatchObject({
      courier: expect.stringMatching(/^[a-z]+$/),
      trackingNumber: expect.stringMatching(/^\d{10,30}$/),
      trackingUrl: expect.stringMatching(/^https:\/\//),
    });
    expect(await courier.buyLabel(out)).toEqual(label);
    expect(await open().buyLabel(out)).toEqual(label);
    const back = await courier.buyLabel(parcel('inbound'));
    expect(back.trackingNumber).not.toBe(label.trackingNumber);
  });

  it('buys one label for concurrent requests for a parcel', async () => {
    const courier = open();
    const out = parcel();
    const [one, two] = await Promise.all([courier.buyLabel(out), courier.buyLabel(out)]);
    expect(one).toEqual(two);
  });

  it('returns the status of a parcel', async () => {
    const courier = open();
    const { courier: carrier, trackingNumber } = await courier.buyLabel(parcel());
    const news = await courier.track({ courier: carrier, trackingNumber });
    expect(news).toMatchObject({ trackingNumber, status: 'announced' });
    expect(await courier.track({ courier: carrier, trackingNumber })).toEqual(news);
  });

  it.each(PARCEL_STATUSES)('parses a webhook: %s', (status) => {
    const [news, ...more] = open().parseWebhook(pushed(status));
    expect(more).toEqual([]);
    expect(news).toMatchObject({ trackingNumber: '94001', status, at: new Date('2026-03-03T10:00:00Z') });
  });

  it('rejects a webhook that is unsigned or was changed', () => {
    const right = pushed('delivered');
    const signature = String(right.headers['x-hmac-signature']);
    const wrong: CourierWebhook[] = [
      { ...right, headers: {} },
      { ...right, headers: { 'x-hmac-signature': '' } },
      { ...right, headers: { 'x-hmac-signature': [signature, signature] } },
      { ...right, headers: { 'x-hmac-signature': `${signature}0` } },
      {
        ...right,
        headers: { 'x-hmac-signature': signature.replace(/.$/, (last) => (last === '0' ? '1' : '0')) },
      },
      { ...right, headers: { 'x-hmac-signature': signWebhook('another secret', right.body) } },
      { ...right, body: Buffer.concat([right.body, Buffer.from(' ')]) },
      { ...right, body: Buffer.alloc(0) },
    ];
    for (const one of wrong) {
      expect(() => open().parseWebhook(one)).toThrow(expect.objectContaining({ kind: 'unauthorized' }));
    }
  });

  it('rejects a signed webhook without an update', () => {
    const [, , push] = bodies.find(([name]) => name === _name) ?? [];
    const secret = push === simulatedNews ? 'simulated' : EASYPOST_SECRET;
    for (const text of [
      '',
      'no json',
      '[]',
      '{}',
      '{"id":"e","description":"tracker.updated","result":{}}',
    ]) {
      const body = Buffer.from(text);
      const sent = { headers: { 'x-hmac-signature': signWebhook(secret, body) }, body };
      expect(() => open().parseWebhook(sent)).toThrow(expect.objectContaining({ kind: 'bad_request' }));
    }
  });
});

describe('EasyPost', () => {
  it('buys the cheapest rate, from our sender to the patient, under our own reference', async () => {
    const out = parcel();
    const label = await realCourier().buyLabel(out);
    expect(label.courier).toBe('usps');
    expect(label.trackerId).toMatch(/^trk_/);
    expect(standIn.asked.at(-1)).toMatchObject({
      reference: out.parcelId.replace('/', '-'),
      from_address: { name: 'Kit house', street1: '1 Warehouse Way', zip: '94607' },
      to_address: {
        name: 'Ada Lovelace',
        street1: '548 Market Street',
        street2: 'Apt 4',
        zip: '94104',
        country: 'US',
      },
      parcel: { weight: 8 },
    });
  });

  it('requests trackers with EasyPost’s carrier names', async () => {
    await realCourier().track({ courier: 'usps', trackingNumber: '94002' });
    expect(standIn.calls.at(-1)).toBe('POST /v2/trackers');
  });

  it('checks signatures as the official client does', async () => {
    const { createEasyPostClient: open } = await import('./easypost-client.ts');
    const client = await open(EASYPOST_KEY, { baseUrl: standIn.url, timeout: 1000 });
    const { headers, body } = easyPostNews('delivered');
    expect(client.Utils.validateWebhook(body, headers as object, EASYPOST_SECRET)).toMatchObject({
      object: 'Event',
    });
    expect(realCourier().parseWebhook({ headers, body })).toHaveLength(1);
  });

  it('ignores events about other objects', () => {
    const other = signTrackerEvent({
      description: 'batch.updated',
      tracker: { tracking_code: '1' },
      status: 'x',
      at: '2026-03-03T10:00:00Z',
    });
    expect(realCourier().parseWebhook(other)).toEqual([]);
  });

  it('drops personal data', () => {
    const [news] = realCourier().parseWebhook(easyPostNews('delivered'));
    expect(JSON.stringify(news)).not.toMatch(/LOVELACE|SAN FRANCISCO/);
  });

  it('reports a rejected address as bad_request, and all else as unavailable', async () => {
    const nowhere = { ...parcel(), to: { ...ada, zip: '' } };
    await expect(realCourier().buyLabel(nowhere)).rejects.toMatchObject({ kind: 'bad_request' });
    await expect(realCourier({ apiKey: 'EZTKwrong0000000' }).buyLabel(parcel())).rejects.toMatchObject({
      kind: 'unavailable',
    });
    const closed = realCourier({ url: 'http://127.0.0.1:9/v2/' });
    await expect(closed.buyLabel(parcel())).rejects.toMatchObject({
      kind: 'unavailable',
      retryAfterSeconds: 30,
    });
    for (const status of [402, 429, 500, 503]) {
      standIn.failWith = status;
      await expect(realCourier().buyLabel(parcel())).rejects.toMatchObject({ kind: 'unavailable' });
    }
    standIn.failWith = 200;
  });

  it('continues a shipment that was created but not bought', async () => {
    const out = parcel();
    const basic = Buffer.from(`${EASYPOST_KEY}:`).toString('base64');
    const made = await fetch(`${standIn.url}shipments`, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}` },
      body: JSON.stringify({
        shipment: { reference: out.parcelId.replace('/', '-'), to_address: { street1: 'x', zip: '1' } },
      }),
    });
    expect(made.status).toBe(201);
    const before = standIn.asked.length;
    expect(await realCourier().buyLabel(out)).toMatchObject({ courier: 'usps' });
    expect(standIn.asked).toHaveLength(before);
  });

  it('regenerates the rates of a shipment that has none', async () => {
    const out = parcel();
    standIn.carriersUnavailable = true;
    await expect(realCourier().buyLabel(out)).rejects.toMatchObject({ kind: 'bad_request' });
    const made = standIn.asked.length;
    standIn.carriersUnavailable = false;
    expect(await realCourier().buyLabel(out)).toMatchObject({ courier: 'usps' });
    expect(standIn.asked).toHaveLength(made);
  });

  // prettier-ignore
  const words: [string, string | null, ParcelStatus][] = [
    ['pre_transit',          'label_created',       'announced'],
    ['in_transit',           'arrived_at_facility', 'in_transit'],
    ['in_transit',           'delayed',             'in_transit'],
    ['in_transit',           'held',                'problem'],
    ['in_transit',           'lost',                'lost'],
    ['in_transit',           'return',              'undeliverable'],
    ['out_for_delivery',     'out_for_delivery',    'out_for_delivery'],
    ['delivered',            'arrived_at_destination', 'delivered'],
    ['available_for_pickup', 'arrived_at_pickup_location', 'problem'],
    ['return_to_sender',     'return',              'undeliverable'],
    ['failure',              'failure',             'undeliverable'],
    ['failure',              'lost',                'lost'],
    ['cancelled',            'cancelled',           'problem'],
    ['error',                null,                  'unknown'],
    ['unknown',              null,                  'unknown'],
    ['a_word_to_come',       null,                  'unknown'],
  ];
  it.each(words)('maps %s (%s)', (status, detail, ours) => {
    expect(toParcelStatus(status, detail)).toBe(ours);
  });
});

it('signs as documented: hex of HMAC-SHA256 over the bytes', () => {
  const body = Buffer.from('{}');
  expect(signWebhook('secret', body)).toBe(
    `hmac-sha256-hex=${createHmac('sha256', 'secret').update('{}').digest('hex')}`,
  );
});
