import { z } from 'zod';
import { DomainError } from '../../platform/errors.ts';
import type { Courier, Label, Parcel, ParcelNews, PostalAddress, Pushed } from './port.ts';
import { BoughtShipment, Event, NewRates, newsOf, RatedShipment, Tracker } from './easypost-wire.ts';
import { openEasyPost, type EasyPostClient } from './easypost-client.ts';
import { readPushed, requireSignature } from './signature.ts';

export interface EasyPostOptions {
  readonly apiKey: string;
  readonly webhookSecret: string;
  /** As `https://api.easypost.com/v2/`. */
  readonly url: string;
  /** From where kits are sent. */
  readonly sender: PostalAddress;
  readonly kitOunces: number;
}

const TIMEOUT_MS = 20_000;

/** EasyPost: labels at the lowest rate of the account's carriers, and trackers whose news it pushes, signed. */
export function easyPostCourier(options: EasyPostOptions): Courier {
  let opened: Promise<EasyPostClient> | undefined;
  const client = () =>
    (opened ??= openEasyPost(options.apiKey, { baseUrl: options.url, timeout: TIMEOUT_MS }));
  const underWay = new Map<string, Promise<Label>>();
  return {
    name: 'easypost',
    ship: (parcel) => {
      // EasyPost has no idempotency keys: two calls at once would both find nothing under the reference, and both buy.
      const asked = underWay.get(parcel.parcelId);
      if (asked) return asked;
      const shipping = answered(async () => ship(await client(), options, parcel)).finally(() =>
        underWay.delete(parcel.parcelId),
      );
      underWay.set(parcel.parcelId, shipping);
      return shipping;
    },
    track: ({ courier, trackingNumber }) =>
      answered(async () => track(await client(), courier, trackingNumber)),
    hear: (pushed) => hear(options.webhookSecret, pushed),
  };
}

/** EasyPost answers the tracker that it has, or makes one. */
async function track(client: EasyPostClient, courier: string, trackingNumber: string): Promise<ParcelNews> {
  const asked = { tracking_code: trackingNumber, carrier: carrierName(courier) };
  return newsOf(Tracker.parse(await client.Tracker.create(asked)));
}

/** Events about trackers tell of parcels; about all others there is nothing to do. */
const TRACKER_EVENTS = new Set(['tracker.created', 'tracker.updated']);

function hear(secret: string, pushed: Pushed): ParcelNews[] {
  requireSignature(secret, pushed);
  const event = Event.safeParse(readPushed(pushed));
  if (!event.success) throw new DomainError('bad_request', 'The body is not an event');
  if (!TRACKER_EVENTS.has(event.data.description)) return [];
  const tracker = Tracker.safeParse(event.data.result);
  if (!tracker.success) throw new DomainError('bad_request', 'The result of the event is not a tracker');
  return [newsOf(tracker.data, event.data.id)];
}

/** The label that was bought for this parcel before, or a new one at the lowest rate. */
async function ship(client: EasyPostClient, options: EasyPostOptions, parcel: Parcel): Promise<Label> {
  const known = await findShipment(client, parcel.parcelId);
  const bought = BoughtShipment.safeParse(known);
  if (bought.success) return labelOf(bought.data);
  const rated = known ? await rateAnew(client, known) : await createShipment(client, options, parcel);
  return labelOf(await buy(client, rated));
}

/**
 * A shipment keeps the rates of its first moment: none when the carriers were away, and after four weeks none either. The
 * answer is the new rates alone, without the shipment.
 */
async function rateAnew(client: EasyPostClient, shipment: unknown): Promise<unknown> {
  const { id } = RatedShipment.parse(shipment);
  const { rates } = NewRates.parse(await client.Shipment.regenerateRates(id));
  return { id, rates };
}

async function findShipment(client: EasyPostClient, reference: string): Promise<unknown> {
  // A reference stands for an id in paths, where its slash would be a further part.
  return client.Shipment.retrieve(referenceOf(reference)).catch((error: unknown) => {
    if (statusCodeOf(error) === 404) return undefined;
    throw error;
  });
}

const referenceOf = (parcelId: string) => parcelId.replaceAll('/', '-');

const createShipment = (client: EasyPostClient, options: EasyPostOptions, parcel: Parcel): Promise<unknown> =>
  client.Shipment.create({
    reference: referenceOf(parcel.parcelId),
    from_address: addressOf(parcel.from ?? options.sender),
    to_address: addressOf(parcel.to),
    parcel: { weight: options.kitOunces },
  });

async function buy(client: EasyPostClient, shipment: unknown): Promise<z.output<typeof BoughtShipment>> {
  const { id, rates } = RatedShipment.parse(shipment);
  const cheapest = rates.toSorted((a, b) => Number(a.rate) - Number(b.rate))[0];
  if (!cheapest) throw new DomainError('bad_request', 'No carrier offers a rate for this address');
  return BoughtShipment.parse(await client.Shipment.buy(id, cheapest.id));
}

const labelOf = (shipment: z.output<typeof BoughtShipment>): Label => ({
  courier: shipment.selected_rate.carrier.toLowerCase(),
  trackingNumber: shipment.tracking_code,
  trackingUrl: shipment.tracker.public_url ?? `https://track.easypost.com/${shipment.tracker.id}`,
  trackerId: shipment.tracker.id,
});

const addressOf = (address: PostalAddress) => ({
  name: address.name,
  street1: address.street,
  ...(address.secondLine === null ? {} : { street2: address.secondLine }),
  city: address.city,
  ...(address.state === null ? {} : { state: address.state }),
  zip: address.zip,
  country: address.country,
  ...(address.phone === null ? {} : { phone: address.phone }),
});

/** EasyPost's name of a carrier whose identifier we keep in lower case. */
const carrierName = (courier: string): string => CARRIERS[courier] ?? courier.toUpperCase();
const CARRIERS: Readonly<Record<string, string>> = {
  dhlexpress: 'DHLExpress',
  fedex: 'FedEx',
  ontrac: 'OnTrac',
  upsdap: 'UPSDAP',
};

const RETRY_AFTER_SECONDS = 30;
/** What a caller can act on: an address or a parcel that EasyPost does not take. */
const CALLERS_FAULT = new Set([400, 404, 422]);

/** The answer, or a failure of ours: EasyPost's own kinds stay behind this border. */
async function answered<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof DomainError) throw error;
    const status = statusCodeOf(error);
    if (status !== undefined && CALLERS_FAULT.has(status)) {
      throw new DomainError('bad_request', `The courier refused: ${messageOf(error)}`);
    }
    throw new DomainError('unavailable', failureOf(error, status), RETRY_AFTER_SECONDS);
  }
}

function failureOf(error: unknown, status: number | undefined): string {
  if (status !== undefined) return `The courier answered ${status}`;
  return error instanceof z.ZodError
    ? 'The courier answered what we cannot read'
    : 'The courier cannot be reached';
}

function statusCodeOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const [own, plain] = ['statusCode', 'status'].map((name): unknown => Reflect.get(error, name));
  return typeof own === 'number' ? own : typeof plain === 'number' ? plain : undefined;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
