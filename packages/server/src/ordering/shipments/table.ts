import type { Generated } from 'kysely';
import type { ParcelStatus } from '../../adapters/courier/port.ts';
import type { TenantColumns } from '../../platform/db/tenant-rows.ts';
import type { ShipmentLeg } from './status.ts';

/**
 * The outcome of a tracking update: applied, no change, older than the last one, or not allowed at the order's step.
 */
export type TrackingUpdateOutcome = 'taken' | 'nothing_new' | 'outdated' | 'not_allowed';

interface TrackingUpdateColumns {
  news_id: string;
  status: ParcelStatus;
  said: string;
  at: Date;
  received_at: Date;
}

declare module '../../platform/db/database.ts' {
  interface Database {
    parcel: TenantColumns & {
      order_id: string;
      leg: ShipmentLeg;
      service: string;
      courier: string;
      tracking_number: string;
      tracker_id: string | null;
      status: ParcelStatus | null;
      heard_at: Date | null;
      is_waiting: Generated<boolean>;
      created_at: Date;
    };
    parcel_news: TenantColumns &
      TrackingUpdateColumns & { order_id: string; leg: ShipmentLeg; outcome: TrackingUpdateOutcome | null };
    label_lease: TenantColumns & { order_id: string; leased_until: Date };
    courier_inbox: TrackingUpdateColumns & {
      service: string;
      tracker_id: string | null;
      tracking_number: string;
    };
  }
}
