import type { SchedulingProviderName } from '../../adapters/scheduling/port.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { placesCountedSince, SLOT_TAKEN } from './call-provider.ts';
import type { BookingKey } from './booking-key.ts';
import {
  countPlaces,
  insertHeldPlace,
  isBookingKeyUsed,
  lockSlot,
  type PlaceOwner,
} from './held-place-store.ts';

/** Blind indexes of locations and slots in the ledger. Not stored in clear, because a home's code is its ZIP code. */
export const siteIndexOf = (
  { cipher }: Pick<Work, 'cipher'>,
  provider: SchedulingProviderName,
  code: string,
) => cipher.blindIndex(`appointment site\n${provider}\n${code}`);

export const slotIndexOf = (
  { cipher }: Pick<Work, 'cipher'>,
  { provider, slotId }: Pick<BookingKey, 'provider' | 'slotId'>,
): Buffer => cipher.blindIndex(`appointment slot\n${provider}\n${slotId}`);

/** 400 for a booking key that this order has used successfully. */
export async function requireUnusedKey(work: Work, orderId: string, key: BookingKey): Promise<void> {
  if (!(await isBookingKeyUsed(work, { orderId, keyIndex: key.mac }))) return;
  throw new DomainError(
    'bad_request',
    'This booking key has already been used. Please get the availability again.',
  );
}

/** Locks the slot, and checks that it has a place left for this order: 400 if it is full. */
export async function requireSlotCapacity(work: Work, orderId: string, key: BookingKey): Promise<void> {
  const slotIndex = slotIndexOf(work, key);
  await lockSlot(work, slotIndex);
  const since = placesCountedSince(work, key.asOf);
  const held = await countPlaces(work, { slotIndex, exceptOrderId: orderId, since });
  if (held >= key.places) throw new DomainError('bad_request', SLOT_TAKEN);
}

/** Holds a place in the slot. Call `requireSlotCapacity` before, in the same work. */
export const holdPlace = (work: Work, holder: PlaceOwner, key: BookingKey): Promise<void> =>
  insertHeldPlace(work, {
    order_id: holder.order_id,
    appointment_id: holder.id,
    key_index: key.mac,
    site_index: siteIndexOf(work, key.provider, key.placeCode),
    slot_index: slotIndexOf(work, key),
    start_at: key.startAt,
  });
