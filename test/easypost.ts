import { createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Pushed } from '../src/adapters/courier/port.ts';

export const EASYPOST_KEY = 'EZTKstandin0123456789';
export const EASYPOST_SECRET = 'sécret-of-the-webhook';

/** A tracker as EasyPost shows it. */
export interface TrackerShown {
  readonly id: string;
  readonly tracking_code: string;
  readonly carrier: string;
}

export interface TrackerSays {
  readonly status: string;
  readonly status_detail: string;
  readonly updated_at: string;
}

const ANNOUNCED: TrackerSays = {
  status: 'pre_transit',
  status_detail: 'label_created',
  updated_at: '2026-03-02T15:00:00Z',
};

interface ShipmentKept {
  readonly id: string;
  readonly reference: string;
  readonly asked: Record<string, unknown>;
  tracker: TrackerShown | undefined;
  isRated: boolean;
}

/** Something that speaks as EasyPost does: shipments, trackers, and events that are signed as its own. */
export interface EasyPostStandIn {
  readonly url: string;
  /** Every call, as `POST /v2/shipments`. */
  readonly calls: string[];
  /** What shipments were made of, oldest first. */
  readonly asked: Record<string, unknown>[];
  /** What a tracker says when it is asked, by its number; one that is not here was only announced. */
  readonly says: Map<string, TrackerSays>;
  /** Answers all calls with this status until it is 200 again. */
  failWith: number;
  /** Shipments that are made meanwhile have no rates before somebody asks for them anew. */
  carriersAway: boolean;
  close(): Promise<void>;
}

export async function openEasyPost(): Promise<EasyPostStandIn> {
  const shipments: ShipmentKept[] = [];
  const calls: string[] = [];
  const server = createServer((request, response) => {
    void readBody(request).then((text) => {
      calls.push(`${request.method} ${request.url}`);
      const { status, body } = answer(request, text);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  const answer = (request: IncomingMessage, text: string): { status: number; body: unknown } => {
    const { method, url = '' } = request;
    const key = Buffer.from(`${EASYPOST_KEY}:`).toString('base64');
    if (request.headers.authorization !== `Basic ${key}`)
      return failure(401, 'APIKEY.INACTIVE', 'This api key is no longer active.');
    if (standIn.failWith !== 200) return failure(standIn.failWith, 'SERVICE.FAULT', 'Something failed.');
    const sent = text === '' ? {} : JSON.parse(text);
    if (method === 'POST' && url === '/v2/trackers')
      return {
        status: 201,
        body: trackerOf(sent.tracker, standIn.says.get(sent.tracker.tracking_code) ?? ANNOUNCED),
      };
    if (method === 'POST' && url === '/v2/shipments')
      return create(shipments, sent.shipment, !standIn.carriersAway);
    const [, name, deed] = /^\/v2\/shipments\/([^/]+)(?:\/(\w+))?$/.exec(url) ?? [];
    const shipment = shipments.find(({ id, reference }) => id === name || reference === name);
    if (!shipment) return failure(404, 'NOT_FOUND', 'The requested resource could not be found.');
    if (deed === 'rerate') return rerate(shipment, !standIn.carriersAway);
    return deed === 'buy' ? buy(shipment, sent.rate) : { status: 200, body: shown(shipment) };
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const standIn: EasyPostStandIn = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2/`,
    calls,
    get asked() {
      return shipments.map(({ asked }) => asked);
    },
    says: new Map(),
    failWith: 200,
    carriersAway: false,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return standIn;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const failure = (status: number, code: string, message: string) => ({
  status,
  body: { error: { code, message, errors: [] } },
});

const idOf = (prefix: string) => `${prefix}_${randomUUID().replaceAll('-', '')}`;

/** Two carriers offer a rate; the cheaper one is not the first. */
const rates = (id: string) => [
  {
    id: `rate_a_${id}`,
    object: 'Rate',
    carrier: 'UPSDAP',
    service: 'Ground',
    rate: '10.40',
    currency: 'USD',
  },
  {
    id: `rate_b_${id}`,
    object: 'Rate',
    carrier: 'USPS',
    service: 'GroundAdvantage',
    rate: '5.93',
    currency: 'USD',
  },
];

const ratesOf = ({ id, isRated }: ShipmentKept) => (isRated ? rates(id) : []);

/** Answers the rates and nothing else of the shipment, not even its id. */
function rerate(shipment: ShipmentKept, isRated: boolean) {
  shipment.isRated = isRated;
  return { status: 200, body: { rates: ratesOf(shipment) } };
}

function create(shipments: ShipmentKept[], asked: Record<string, unknown>, isRated: boolean) {
  const to = asked['to_address'] as Record<string, unknown>;
  if (!to['zip'] || !to['street1']) {
    return failure(
      422,
      'ADDRESS.PARAMETERS.INVALID',
      'Unable to create shipment, the address is not complete.',
    );
  }
  const shipment = {
    id: idOf('shp'),
    reference: String(asked['reference']),
    asked,
    tracker: undefined,
    isRated,
  };
  shipments.push(shipment);
  return { status: 201, body: shown(shipment) };
}

function buy(shipment: ShipmentKept, rate: { id: string }) {
  if (shipment.tracker)
    return failure(422, 'SHIPMENT.POSTAGE.EXISTS', 'Postage already exists for this shipment.');
  const chosen = rates(shipment.id).find(({ id }) => id === rate.id);
  if (!chosen) return failure(404, 'NOT_FOUND', 'The requested resource could not be found.');
  const digits = BigInt(`0x${shipment.id.slice(4, 16)}`)
    .toString()
    .padStart(20, '0');
  shipment.tracker = { id: idOf('trk'), tracking_code: `94${digits}`, carrier: chosen.carrier };
  return { status: 200, body: shown(shipment) };
}

function shown(shipment: ShipmentKept) {
  const { tracker } = shipment;
  return {
    id: shipment.id,
    object: 'Shipment',
    mode: 'test',
    reference: shipment.reference,
    rates: ratesOf(shipment),
    selected_rate: tracker ? rates(shipment.id).find(({ carrier }) => carrier === tracker.carrier) : null,
    tracking_code: tracker?.tracking_code ?? null,
    tracker: tracker
      ? { ...tracker, object: 'Tracker', public_url: `https://track.easypost.com/${tracker.id}` }
      : null,
    postage_label: tracker
      ? { id: idOf('pl'), object: 'PostageLabel', label_url: 'https://labels.example/a.png' }
      : null,
  };
}

function trackerOf(asked: { tracking_code: string; carrier?: string }, says: TrackerSays) {
  const id = `trk_${asked.tracking_code}`;
  return {
    id,
    object: 'Tracker',
    mode: 'test',
    tracking_code: asked.tracking_code,
    carrier: asked.carrier ?? 'USPS',
    ...says,
    created_at: '2026-03-02T14:00:00Z',
    signed_by: null,
    weight: null,
    tracking_details: [],
    public_url: `https://track.easypost.com/${id}`,
  };
}

/** What an event about a tracker tells; the rest is as EasyPost sends it. */
export interface Happened {
  readonly eventId?: string;
  readonly description?: string;
  readonly tracker: Partial<TrackerShown> & { readonly tracking_code: string };
  readonly status: string;
  readonly detail?: string;
  readonly at: string;
}

/** An event in the form in which EasyPost posts it, signed with the secret of the webhook. */
export function pushedEvent(happened: Happened, secret = EASYPOST_SECRET): Pushed {
  const { tracker, status, detail = 'unknown', at } = happened;
  const event = {
    description: happened.description ?? 'tracker.updated',
    mode: 'test',
    previous_attributes: { status: 'unknown' },
    created_at: at,
    pending_urls: ['https://aliquot.example/v1/inbound/courier/easypost'],
    completed_urls: [],
    updated_at: at,
    id: happened.eventId ?? idOf('evt'),
    user_id: 'user_stand_in',
    status: 'pending',
    object: 'Event',
    result: {
      id: tracker.id ?? `trk_of_${tracker.tracking_code}`,
      object: 'Tracker',
      mode: 'test',
      tracking_code: tracker.tracking_code,
      status,
      status_detail: detail,
      created_at: '2026-03-01T00:00:00Z',
      updated_at: at,
      signed_by: 'A LOVELACE',
      weight: 'WEIGHT',
      est_delivery_date: null,
      shipment_id: null,
      carrier: tracker.carrier ?? 'USPS',
      tracking_details: [
        {
          object: 'TrackingDetail',
          message: 'Arrived at facility',
          status,
          status_detail: detail,
          datetime: at,
          source: 'USPS',
          tracking_location: {
            object: 'TrackingLocation',
            city: 'SAN FRANCISCO',
            state: 'CA',
            country: null,
            zip: '94104',
          },
        },
      ],
      public_url: 'https://track.easypost.com/djE6',
    },
  };
  // Numbers with a point stand in the bytes that are signed, and would not survive being parsed and printed again.
  const body = Buffer.from(JSON.stringify(event, null, 2).replace('"WEIGHT"', '328.0'));
  return { headers: { 'content-type': 'application/json', 'x-hmac-signature': signed(secret, body) }, body };
}

export const signed = (secret: string, body: Buffer): string =>
  `hmac-sha256-hex=${createHmac('sha256', Buffer.from(secret.normalize('NFKD'), 'utf8'))
    .update(body)
    .digest('hex')}`;
