import type { Environment } from '../../platform/tenant.ts';

export interface PostalAddress {
  readonly name: string;
  readonly street: string;
  readonly secondLine: string | null;
  readonly city: string;
  /** Null if unknown; the ZIP code implies it. */
  readonly state: string | null;
  readonly zip: string;
  readonly country: string;
  readonly phone: string | null;
}

export interface CourierParcel {
  /** Idempotency key: the same id never buys a second label. */
  readonly parcelId: string;
  readonly leg: 'outbound' | 'inbound';
  /** Null for the configured sender of kits. */
  readonly from: PostalAddress | null;
  readonly to: PostalAddress;
}

export interface ShippingLabel {
  /** The carrier's identifier, for example `usps`. */
  readonly courier: string;
  readonly trackingNumber: string;
  readonly trackingUrl: string;
  /** The courier's id of this parcel in its updates; null if it uses the tracking number. */
  readonly trackerId: string | null;
}

/** Parcel statuses, common to all carriers. */
export const PARCEL_STATUSES = [
  'announced',
  'in_transit',
  'out_for_delivery',
  'delivered',
  'problem',
  'undeliverable',
  'lost',
  'unknown',
] as const;
export type ParcelStatus = (typeof PARCEL_STATUSES)[number];

/** A status update of a parcel. */
export interface ParcelUpdate {
  /** Unique to the update; used to ignore duplicates. */
  readonly updateId: string;
  readonly trackerId: string | null;
  readonly trackingNumber: string;
  readonly status: ParcelStatus;
  /** The courier's own status text, without personal data. */
  readonly said: string;
  readonly at: Date;
}

/** An inbound webhook request, not yet authenticated. */
export interface CourierWebhook {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The raw bytes, because signatures are computed over bytes. */
  readonly body: Buffer;
}

/** A courier service. Its webhooks arrive at our inbound route, which passes them to `parseWebhook`. */
export interface Courier {
  /** The courier's name in the path of its inbound route. */
  readonly name: string;
  buyLabel(parcel: CourierParcel): Promise<ShippingLabel>;
  /** The current status of the parcel. Starts tracking a parcel that the courier did not know. */
  track(parcel: { readonly courier: string; readonly trackingNumber: string }): Promise<ParcelUpdate>;
  /**
   * Verifies the signature of a webhook and returns its updates, none if it is about something else. Throws
   * `unauthorized` for a missing or wrong signature, `bad_request` for an invalid body.
   */
  parseWebhook(pushed: CourierWebhook): ParcelUpdate[];
}

export type Couriers = Readonly<Record<Environment, Courier | undefined>>;
