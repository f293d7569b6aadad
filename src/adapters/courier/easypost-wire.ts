import { z } from 'zod';
import type { ParcelNews, ParcelStatus } from './port.ts';

/** What EasyPost answers and sends, as far as we look into it. What it may add is not ours to refuse. */
export const Tracker = z.object({
  id: z.string().min(1),
  tracking_code: z.string().min(1),
  status: z.string().nullish(),
  status_detail: z.string().nullish(),
  carrier: z.string().nullish(),
  public_url: z.string().nullish(),
  updated_at: z.iso.datetime({ offset: true }),
});
export type Tracker = z.output<typeof Tracker>;

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

/** An event about anything; `result` is the object that it is about. */
export const Event = z.object({
  id: z.string().min(1),
  description: z.string(),
  result: z.unknown(),
});

/** EasyPost's words for where a parcel is, in ours. A word that is not here says nothing. */
// prettier-ignore
export const STATUSES: Readonly<Record<string, ParcelStatus>> = {
  unknown:              'unknown',
  pre_transit:          'announced',
  in_transit:           'in_transit',
  out_for_delivery:     'out_for_delivery',
  delivered:            'delivered',
  // It waits at a counter: somebody has to go there.
  available_for_pickup: 'problem',
  return_to_sender:     'undeliverable',
  failure:              'undeliverable',
  // Its label was taken back.
  cancelled:            'problem',
  // Of the tracker, not of the parcel.
  error:                'unknown',
};

/** Details that change what a status means; others do not. */
// prettier-ignore
const DETAILS: Readonly<Record<string, Readonly<Record<string, ParcelStatus>>>> = {
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

export function statusOf(status: string, detail: string | null | undefined): ParcelStatus {
  return DETAILS[status]?.[detail ?? ''] ?? STATUSES[status] ?? 'unknown';
}

/** What a tracker says, as news; whatever names the same update of the same tracker is the same news. */
export function newsOf(tracker: Tracker, newsId = `${tracker.id}/${tracker.updated_at}`): ParcelNews {
  const status = tracker.status ?? 'unknown';
  const detail = tracker.status_detail ?? null;
  return {
    newsId,
    trackerId: tracker.id,
    trackingNumber: tracker.tracking_code,
    status: statusOf(status, detail),
    said: detail === null || detail === 'unknown' ? status : `${status} (${detail})`,
    at: new Date(tracker.updated_at),
  };
}
