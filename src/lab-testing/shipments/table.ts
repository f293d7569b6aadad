import type { Generated } from 'kysely';
import type { ParcelStatus } from '../../adapters/courier/port.ts';
import type { TenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Leg } from './status.ts';

/** What became of news: taken by the order, nothing new, older than what was known, or not possible yet or any more. */
export type Outcome = 'taken' | 'nothing_new' | 'outdated' | 'not_allowed';

interface NewsColumns {
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
      leg: Leg;
      service: string;
      courier: string;
      tracking_number: string;
      tracker_id: string | null;
      status: ParcelStatus | null;
      heard_at: Date | null;
      is_waiting: Generated<boolean>;
      created_at: Date;
    };
    parcel_news: TenantColumns & NewsColumns & { order_id: string; leg: Leg; outcome: Outcome | null };
    label_lease: TenantColumns & { order_id: string; leased_until: Date };
    courier_inbox: NewsColumns & { service: string; tracker_id: string | null; tracking_number: string };
  }
}
