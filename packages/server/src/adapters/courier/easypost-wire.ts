import { z } from 'zod';
import type { ParcelUpdate, ParcelStatus } from './port.ts';
import { Timestamp } from '../../platform/timestamp.ts';

/** EasyPost's responses and webhooks, reduced to the fields in use. Unknown fields are ignored. */
export const EasyPostTracker = z.object({
  id: z.string().min(1),
  tracking_code: z.string().min(1),
  status: z.string().nullish(),
  status_detail: z.string().nullish(),
  carrier: z.string().nullish(),
  public_url: z.string().nullish(),
  updated_at: Timestamp,
});
export type EasyPostTracker = z.output<typeof EasyPostTracker>;

export const BoughtShipment = z.object({
  id: z.string().min(1),
  tracking_code: z.string().min(1),
  selected_rate: z.object({ carrier: z.string() }),
  tracker: z.object({ id: z.string().min(1), public_url: z.string().nullish() }),
});

export const RatedShipment = z.object({
  id: z.string().min(1),
  tracking_code: z.string().nullish(),
  rates: z.array(z.object({ id: z.string(), carrier: z.string(), rate: z.string() })),
});

export const NewRates = RatedShipment.pick({ rates: true });

/** A webhook event of any kind; `result` is the object it describes. */
export const EasyPostEvent = z.object({
  id: z.string().min(1),
  description: z.string(),
  result: z.unknown(),
});

/** Maps EasyPost's tracker statuses to parcel statuses. A status that is missing here maps to `unknown`. */
// prettier-ignore
export const PARCEL_STATUS_BY_TRACKER_STATUS: Readonly<Record<string, ParcelStatus>> = {
  unknown:              'unknown',
  pre_transit:          'announced',
  in_transit:           'in_transit',
  out_for_delivery:     'out_for_delivery',
  delivered:            'delivered',
  // The recipient must collect it.
  available_for_pickup: 'problem',
  return_to_sender:     'undeliverable',
  failure:              'undeliverable',
  // The label was voided.
  cancelled:            'problem',
  // An error of the tracker, not of the parcel.
  error:                'unknown',
};

/** Status details that override the status. */
// prettier-ignore
const PARCEL_STATUS_BY_DETAIL: Readonly<Record<string, Readonly<Record<string, ParcelStatus>>>> = {
  in_transit: {
    damaged:            'problem',
    delivery_exception: 'problem',
    held:               'problem',
    lost:               'lost',
    missorted:          'problem',
    refused:            'undeliverable',
    return:             'undeliverable',
    transit_exception:  'problem',
  },
  out_for_delivery: { delivery_exception: 'problem', lost: 'lost', refused: 'undeliverable' },
  failure:          { lost: 'lost' },
  error:            { lost: 'lost' },
  unknown:          { lost: 'lost' },
};

export function toParcelStatus(status: string, detail: string | null | undefined): ParcelStatus {
  return (
    PARCEL_STATUS_BY_DETAIL[status]?.[detail ?? ''] ?? PARCEL_STATUS_BY_TRACKER_STATUS[status] ?? 'unknown'
  );
}

/**
 * Converts a tracker to an update. Without an event id, the update id is derived from the tracker and its update time.
 */
export function toParcelUpdate(
  tracker: EasyPostTracker,
  newsId = `${tracker.id}/${tracker.updated_at}`,
): ParcelUpdate {
  const status = tracker.status ?? 'unknown';
  const detail = tracker.status_detail ?? null;
  return {
    updateId: newsId,
    trackerId: tracker.id,
    trackingNumber: tracker.tracking_code,
    status: toParcelStatus(status, detail),
    said: detail === null || detail === 'unknown' ? status : `${status} (${detail})`,
    at: new Date(tracker.updated_at),
  };
}
