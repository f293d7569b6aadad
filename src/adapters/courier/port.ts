import type { Environment } from '../../platform/tenant.ts';

export interface Parcel {
  /** Unique to the parcel; asking twice with the same id makes one label. */
  readonly parcelId: string;
  readonly leg: 'outbound' | 'inbound';
  readonly to: {
    readonly name: string;
    readonly city: string;
    readonly state: string;
    readonly zip: string;
    readonly country: string;
  };
}

export interface Label {
  /** The courier's identifier, as `usps`. */
  readonly courier: string;
  readonly trackingNumber: string;
  readonly trackingUrl: string;
}

/** What we ask of a courier. It never calls us: it answers, and we come back to look. */
export interface Courier {
  ship(parcel: Parcel): Promise<Label>;
}

export type Couriers = Readonly<Record<Environment, Courier | undefined>>;
