import type { Environment } from '../../platform/tenant.ts';

export interface PostalAddress {
  readonly name: string;
  readonly street: string;
  readonly secondLine: string | null;
  readonly city: string;
  /** Null where nobody told us; the zip says it, too. */
  readonly state: string | null;
  readonly zip: string;
  readonly country: string;
  readonly phone: string | null;
}

export interface Parcel {
  /** Unique to the parcel; asking twice with the same id makes one label. */
  readonly parcelId: string;
  readonly leg: 'outbound' | 'inbound';
  /** Null: from where kits are sent, which the courier's configuration says. */
  readonly from: PostalAddress | null;
  readonly to: PostalAddress;
}

export interface Label {
  /** The carrier's identifier, as `usps`. */
  readonly courier: string;
  readonly trackingNumber: string;
  readonly trackingUrl: string;
  /** By what the courier names this parcel in its news; null where the tracking number is all there is. */
  readonly trackerId: string | null;
}

/** What can be said of a parcel, whoever carries it. */
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

/** What the courier says of a parcel at a moment. */
export interface ParcelNews {
  /** Unique to the news: hearing it twice is hearing it once. */
  readonly newsId: string;
  readonly trackerId: string | null;
  readonly trackingNumber: string;
  readonly status: ParcelStatus;
  /** In the courier's own words, without what it says of persons. */
  readonly said: string;
  readonly at: Date;
}

/** What somebody sent to us in the courier's name. */
export interface Pushed {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The bytes as they came, because signatures are over bytes. */
  readonly body: Buffer;
}

/** What we ask of a courier. It never calls us: it answers, and what it pushes is given to it to be read. */
export interface Courier {
  /** Who pushes, as the path of its inbound route names it. */
  readonly name: string;
  ship(parcel: Parcel): Promise<Label>;
  /** What the courier says of the parcel now; asking begins to follow one that it did not know. */
  track(parcel: { readonly courier: string; readonly trackingNumber: string }): Promise<ParcelNews>;
  /**
   * The news in what was pushed, after its signature was checked over its bytes; none when it is about something
   * else. Throws `unauthorized` for a signature that is missing or wrong, `bad_request` for what cannot be read.
   */
  hear(pushed: Pushed): ParcelNews[];
}

export type Couriers = Readonly<Record<Environment, Courier | undefined>>;
