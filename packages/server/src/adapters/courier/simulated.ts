import { createHash } from 'node:crypto';
import { z } from 'zod';
import { DomainError } from '../../platform/errors.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { PARCEL_STATUSES, type Courier, type ParcelUpdate } from './port.ts';
import { parseWebhookBody, assertSignature } from './signature.ts';

/** The webhook body of the simulated courier, in the service's own vocabulary. */
const SimulatedParcelUpdate = z.object({
  id: z.string().min(1),
  tracking_number: z.string().min(1),
  status: z.enum(PARCEL_STATUSES),
  at: Timestamp,
});

const ANNOUNCED_AT = new Date(0);

/** A stateless simulated courier. Labels are derived from the parcel, so repeated requests return the same label. */
export function createSimulatedCourier({ webhookSecret = 'simulated' } = {}): Courier {
  return {
    name: 'simulated',
    buyLabel: async ({ parcelId, leg }) => {
      const digits = BigInt(
        `0x${createHash('sha256').update(`${parcelId}/${leg}`).digest('hex').slice(0, 15)}`,
      );
      const trackingNumber = `94${digits.toString().padStart(20, '0').slice(-20)}`;
      const trackingUrl = `https://courier.invalid/track/${trackingNumber}`;
      return { courier: 'usps', trackingNumber, trackingUrl, trackerId: null };
    },
    track: async ({ trackingNumber }) => ({
      updateId: `${trackingNumber}/announced`,
      trackerId: null,
      trackingNumber,
      status: 'announced',
      said: 'announced',
      at: ANNOUNCED_AT,
    }),
    parseWebhook: (pushed): ParcelUpdate[] => {
      assertSignature(webhookSecret, pushed);
      const parsed = SimulatedParcelUpdate.safeParse(parseWebhookBody(pushed));
      if (!parsed.success) throw new DomainError('bad_request', 'The body is not a parcel update');
      const { id, tracking_number: trackingNumber, status, at } = parsed.data;
      return [{ updateId: id, trackerId: null, trackingNumber, status, said: status, at: new Date(at) }];
    },
  };
}
