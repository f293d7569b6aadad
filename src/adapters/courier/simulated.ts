import { createHash } from 'node:crypto';
import { z } from 'zod';
import { DomainError } from '../../platform/errors.ts';
import { PARCEL_STATUSES, type Courier, type ParcelNews } from './port.ts';
import { readPushed, requireSignature } from './signature.ts';

/** What the simulated courier pushes: news in our own words. */
const News = z.object({
  id: z.string().min(1),
  tracking_number: z.string().min(1),
  status: z.enum(PARCEL_STATUSES),
  at: z.iso.datetime({ offset: true }),
});

const ANNOUNCED_AT = new Date(0);

/** A courier that carries nothing: labels follow from the parcel alone, so that asking twice makes one. */
export function simulatedCourier({ webhookSecret = 'simulated' } = {}): Courier {
  return {
    name: 'simulated',
    ship: async ({ parcelId, leg }) => {
      const digits = BigInt(
        `0x${createHash('sha256').update(`${parcelId}/${leg}`).digest('hex').slice(0, 15)}`,
      );
      const trackingNumber = `94${digits.toString().padStart(20, '0').slice(-20)}`;
      const trackingUrl = `https://courier.invalid/track/${trackingNumber}`;
      return { courier: 'usps', trackingNumber, trackingUrl, trackerId: null };
    },
    track: async ({ trackingNumber }) => ({
      newsId: `${trackingNumber}/announced`,
      trackerId: null,
      trackingNumber,
      status: 'announced',
      said: 'announced',
      at: ANNOUNCED_AT,
    }),
    hear: (pushed): ParcelNews[] => {
      requireSignature(webhookSecret, pushed);
      const parsed = News.safeParse(readPushed(pushed));
      if (!parsed.success) throw new DomainError('bad_request', 'The body is not news of a parcel');
      const { id, tracking_number: trackingNumber, status, at } = parsed.data;
      return [{ newsId: id, trackerId: null, trackingNumber, status, said: status, at: new Date(at) }];
    },
  };
}
