import { z } from 'zod';
import { DomainError } from '../../platform/errors.ts';
import type {
  Courier,
  ShippingLabel,
  CourierParcel,
  ParcelUpdate,
  PostalAddress,
  CourierWebhook,
} from './port.ts';
import {
  BoughtShipment,
  EasyPostEvent,
  NewRates,
  toParcelUpdate,
  RatedShipment,
  EasyPostTracker,
} from './easypost-wire.ts';
import { createEasyPostClient, type EasyPostClient } from './easypost-client.ts';
import { parseWebhookBody, assertSignature } from './signature.ts';

interface EasyPostOptions {
  readonly apiKey: string;
  readonly webhookSecret: string;
  /** For example `https://api.easypost.com/v2/`. */
  readonly url: string;
  /** The address that kits are sent from. */
  readonly sender: PostalAddress;
  readonly kitOunces: number;
}

const TIMEOUT_MS = 20_000;

/**
 * EasyPost: buys labels at the lowest rate of the account's carriers, and receives tracker updates by signed webhook.
 */
export function easyPostCourier(options: EasyPostOptions): Courier {
  let opened: Promise<EasyPostClient> | undefined;
  const client = () =>
    (opened ??= createEasyPostClient(options.apiKey, { baseUrl: options.url, timeout: TIMEOUT_MS }));
  const underWay = new Map<string, Promise<ShippingLabel>>();
  return {
    name: 'easypost',
    buyLabel: (parcel) => {
      // EasyPost has no idempotency keys: concurrent calls would both find no shipment and both buy a label.
      const asked = underWay.get(parcel.parcelId);
      if (asked) return asked;
      const shipping = withDomainErrors(async () => buyLabel(await client(), options, parcel)).finally(() =>
        underWay.delete(parcel.parcelId),
      );
      underWay.set(parcel.parcelId, shipping);
      return shipping;
    },
    track: ({ courier, trackingNumber }) =>
      withDomainErrors(async () => trackParcel(await client(), courier, trackingNumber)),
    parseWebhook: (pushed) => parseWebhook(options.webhookSecret, pushed),
  };
}

/** EasyPost returns the existing tracker or creates one. */
async function trackParcel(
  client: EasyPostClient,
  courier: string,
  trackingNumber: string,
): Promise<ParcelUpdate> {
  const asked = { tracking_code: trackingNumber, carrier: toCarrierName(courier) };
  return toParcelUpdate(EasyPostTracker.parse(await client.Tracker.create(asked)));
}

/** Only tracker events describe parcels; all others are ignored. */
const TRACKER_EVENTS = new Set(['tracker.created', 'tracker.updated']);

function parseWebhook(secret: string, pushed: CourierWebhook): ParcelUpdate[] {
  assertSignature(secret, pushed);
  const event = EasyPostEvent.safeParse(parseWebhookBody(pushed));
  if (!event.success) throw new DomainError('bad_request', 'The body is not an EasyPost event');
  if (!TRACKER_EVENTS.has(event.data.description)) return [];
  const tracker = EasyPostTracker.safeParse(event.data.result);
  if (!tracker.success) throw new DomainError('bad_request', 'The result of the event is not a tracker');
  return [toParcelUpdate(tracker.data, event.data.id)];
}

/** Returns the label that was already bought for this parcel, or buys one at the lowest rate. */
async function buyLabel(
  client: EasyPostClient,
  options: EasyPostOptions,
  parcel: CourierParcel,
): Promise<ShippingLabel> {
  const known = await findShipment(client, parcel.parcelId);
  const bought = BoughtShipment.safeParse(known);
  if (bought.success) return toLabel(bought.data);
  const rated = known ? await regenerateRates(client, known) : await createShipment(client, options, parcel);
  return toLabel(await buyShipment(client, rated));
}

/**
 * A shipment keeps the rates from its creation: none if the carriers were unavailable then, and none after four weeks.
 * EasyPost returns only the new rates, not the shipment.
 */
async function regenerateRates(client: EasyPostClient, shipment: unknown): Promise<unknown> {
  const { id } = RatedShipment.parse(shipment);
  const { rates } = NewRates.parse(await client.Shipment.regenerateRates(id));
  return { id, rates };
}

async function findShipment(client: EasyPostClient, reference: string): Promise<unknown> {
  // The reference is used as an id in URL paths, so it must not contain a slash.
  return client.Shipment.retrieve(toReference(reference)).catch((error: unknown) => {
    if (readStatusCode(error) === 404) return undefined;
    throw error;
  });
}

const toReference = (parcelId: string) => parcelId.replaceAll('/', '-');

const createShipment = (
  client: EasyPostClient,
  options: EasyPostOptions,
  parcel: CourierParcel,
): Promise<unknown> =>
  client.Shipment.create({
    reference: toReference(parcel.parcelId),
    from_address: toEasyPostAddress(parcel.from ?? options.sender),
    to_address: toEasyPostAddress(parcel.to),
    parcel: { weight: options.kitOunces },
  });

async function buyShipment(
  client: EasyPostClient,
  shipment: unknown,
): Promise<z.output<typeof BoughtShipment>> {
  const { id, rates } = RatedShipment.parse(shipment);
  const cheapest = rates.toSorted((a, b) => Number(a.rate) - Number(b.rate))[0];
  if (!cheapest) throw new DomainError('bad_request', 'No carrier offers a rate for this address');
  return BoughtShipment.parse(await client.Shipment.buy(id, cheapest.id));
}

const toLabel = (shipment: z.output<typeof BoughtShipment>): ShippingLabel => ({
  courier: shipment.selected_rate.carrier.toLowerCase(),
  trackingNumber: shipment.tracking_code,
  trackingUrl: shipment.tracker.public_url ?? `https://track.easypost.com/${shipment.tracker.id}`,
  trackerId: shipment.tracker.id,
});

const toEasyPostAddress = (address: PostalAddress) => ({
  name: address.name,
  street1: address.street,
  ...(address.secondLine === null ? {} : { street2: address.secondLine }),
  city: address.city,
  ...(address.state === null ? {} : { state: address.state }),
  zip: address.zip,
  country: address.country,
  ...(address.phone === null ? {} : { phone: address.phone }),
});

/** EasyPost's carrier name for our lowercase identifier. */
const toCarrierName = (courier: string): string => CARRIER_NAMES[courier] ?? courier.toUpperCase();
const CARRIER_NAMES: Readonly<Record<string, string>> = {
  dhlexpress: 'DHLExpress',
  fedex: 'FedEx',
  ontrac: 'OnTrac',
  upsdap: 'UPSDAP',
};

const RETRY_AFTER_SECONDS = 30;
/** Errors that the caller can fix: EasyPost rejected the address or the parcel. */
const CALLER_ERROR_STATUSES = new Set([400, 404, 422]);

/** Converts EasyPost's errors to domain errors, so that callers never see its error classes. */
async function withDomainErrors<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof DomainError) throw error;
    const status = readStatusCode(error);
    if (status !== undefined && CALLER_ERROR_STATUSES.has(status)) {
      throw new DomainError('bad_request', `The courier refused: ${getErrorMessage(error)}`);
    }
    throw new DomainError('unavailable', describeFailure(error, status), RETRY_AFTER_SECONDS);
  }
}

function describeFailure(error: unknown, status: number | undefined): string {
  if (status !== undefined) return `The courier answered ${status}`;
  return error instanceof z.ZodError
    ? 'The courier sent a response that cannot be read'
    : 'The courier cannot be reached';
}

function readStatusCode(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const [own, plain] = ['statusCode', 'status'].map((name): unknown => Reflect.get(error, name));
  return typeof own === 'number' ? own : typeof plain === 'number' ? plain : undefined;
}

const getErrorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));
