import { createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CourierWebhook } from '../src/adapters/courier/port.ts';

export const EASYPOST_KEY = 'EZTKstandin0123456789';
export const EASYPOST_SECRET = 'sécret-of-the-webhook';

/** A tracker as EasyPost returns it. */
interface EasyPostTracker {
  readonly id: string;
  readonly tracking_code: string;
  readonly carrier: string;
}

interface TrackerStatus {
  readonly status: string;
  readonly status_detail: string;
  readonly updated_at: string;
}

const ANNOUNCED_STATUS: TrackerStatus = {
  status: 'pre_transit',
  status_detail: 'label_created',
  updated_at: '2026-03-02T15:00:00Z',
};

interface StoredShipment {
  readonly id: string;
  readonly reference: string;
  readonly asked: Record<string, unknown>;
  tracker: EasyPostTracker | undefined;
  isRated: boolean;
}

/** A stand-in for the EasyPost API: shipments, trackers, and signed events. */
export interface EasyPostStandIn {
  readonly url: string;
  /** Every call, such as `POST /v2/shipments`. */
  readonly calls: string[];
  /** Request bodies of created shipments, oldest first. */
  readonly asked: Record<string, unknown>[];
  /** Tracker statuses by tracking number; others are in status `pre_transit`. */
  readonly trackerStatuses: Map<string, TrackerStatus>;
  /** Answers all calls with this status unless it is 200. */
  failWith: number;
  /** While true, new shipments have no rates until they are rerated. */
  carriersUnavailable: boolean;
  close(): Promise<void>;
}

export async function openEasyPost(): Promise<EasyPostStandIn> {
  const shipments: StoredShipment[] = [];
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
        body: toTrackerBody(
          sent.tracker,
          standIn.trackerStatuses.get(sent.tracker.tracking_code) ?? ANNOUNCED_STATUS,
        ),
      };
    if (method === 'POST' && url === '/v2/shipments')
      return createShipment(shipments, sent.shipment, !standIn.carriersUnavailable);
    const [, name, deed] = /^\/v2\/shipments\/([^/]+)(?:\/(\w+))?$/.exec(url) ?? [];
    const shipment = shipments.find(({ id, reference }) => id === name || reference === name);
    if (!shipment) return failure(404, 'NOT_FOUND', 'The requested resource could not be found.');
    if (deed === 'rerate') return rerate(shipment, !standIn.carriersUnavailable);
    return deed === 'buy' ? buyRate(shipment, sent.rate) : { status: 200, body: toShipmentBody(shipment) };
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const standIn: EasyPostStandIn = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2/`,
    calls,
    get asked() {
      return shipments.map(({ asked }) => asked);
    },
    trackerStatuses: new Map(),
    failWith: 200,
    carriersUnavailable: false,
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

/** Rates of two carriers; the cheaper one is not the first. */
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

const ratesOf = ({ id, isRated }: StoredShipment) => (isRated ? rates(id) : []);

/** Returns only the rates of the shipment, without its id. */
function rerate(shipment: StoredShipment, isRated: boolean) {
  shipment.isRated = isRated;
  return { status: 200, body: { rates: ratesOf(shipment) } };
}

function createShipment(shipments: StoredShipment[], asked: Record<string, unknown>, isRated: boolean) {
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
  return { status: 201, body: toShipmentBody(shipment) };
}

function buyRate(shipment: StoredShipment, rate: { id: string }) {
  if (shipment.tracker)
    return failure(422, 'SHIPMENT.POSTAGE.EXISTS', 'Postage already exists for this shipment.');
  const chosen = rates(shipment.id).find(({ id }) => id === rate.id);
  if (!chosen) return failure(404, 'NOT_FOUND', 'The requested resource could not be found.');
  const digits = BigInt(`0x${shipment.id.slice(4, 16)}`)
    .toString()
    .padStart(20, '0');
  shipment.tracker = { id: idOf('trk'), tracking_code: `94${digits}`, carrier: chosen.carrier };
  return { status: 200, body: toShipmentBody(shipment) };
}

function toShipmentBody(shipment: StoredShipment) {
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

function toTrackerBody(asked: { tracking_code: string; carrier?: string }, says: TrackerStatus) {
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

/** The variable fields of a tracker event. */
export interface TrackerEvent {
  readonly eventId?: string;
  readonly description?: string;
  readonly tracker: Partial<EasyPostTracker> & { readonly tracking_code: string };
  readonly status: string;
  readonly detail?: string;
  readonly at: string;
}

/** An event as EasyPost posts it, signed with the webhook secret. */
export function signTrackerEvent(happened: TrackerEvent, secret = EASYPOST_SECRET): CourierWebhook {
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
  // The signed bytes contain 328.0, which parsing and printing would change.
  const body = Buffer.from(JSON.stringify(event, null, 2).replace('"WEIGHT"', '328.0'));
  return {
    headers: { 'content-type': 'application/json', 'x-hmac-signature': signWebhook(secret, body) },
    body,
  };
}

export const signWebhook = (secret: string, body: Buffer): string =>
  `hmac-sha256-hex=${createHmac('sha256', Buffer.from(secret.normalize('NFKD'), 'utf8'))
    .update(body)
    .digest('hex')}`;
