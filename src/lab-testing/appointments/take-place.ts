import type { SchedulingProviderName } from '../../adapters/scheduling/port.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { countedSince, SLOT_TAKEN } from './ask-provider.ts';
import type { BookingKey } from './booking-key.ts';
import { countPlaces, insertPlace, isUsed, lockSlot, type PlaceHolder } from './place-store.ts';

/** The names of things in the ledger, which are not to be read there: a home is called by its ZIP code. */
export const siteIndexOf = (
  { cipher }: Pick<Work, 'cipher'>,
  provider: SchedulingProviderName,
  code: string,
) => cipher.blindIndex(`appointment site\n${provider}\n${code}`);

export const slotIndexOf = (
  { cipher }: Pick<Work, 'cipher'>,
  { provider, slotId }: Pick<BookingKey, 'provider' | 'slotId'>,
): Buffer => cipher.blindIndex(`appointment slot\n${provider}\n${slotId}`);

/** 400 for a booking key that this order has used: what was asked with it was done. */
export async function requireUnused(work: Work, orderId: string, key: BookingKey): Promise<void> {
  if (!(await isUsed(work, { orderId, keyIndex: key.mac }))) return;
  throw new DomainError(
    'bad_request',
    'This booking key was used already. Please ask for the availability again.',
  );
}

/** Waits for its turn and makes sure that the slot has a place left for this order: 400 else. */
export async function requirePlace(work: Work, orderId: string, key: BookingKey): Promise<void> {
  const slotIndex = slotIndexOf(work, key);
  await lockSlot(work, slotIndex);
  const since = countedSince(work, key.asOf);
  const held = await countPlaces(work, { slotIndex, butOrderId: orderId, since });
  if (held >= key.places) throw new DomainError('bad_request', SLOT_TAKEN);
}

/** Writes the place into the ledger; `requirePlace` comes before, in the same work. */
export const takePlace = (work: Work, holder: PlaceHolder, key: BookingKey): Promise<void> =>
  insertPlace(work, {
    order_id: holder.order_id,
    appointment_id: holder.id,
    key_index: key.mac,
    site_index: siteIndexOf(work, key.provider, key.placeCode),
    slot_index: slotIndexOf(work, key),
    start_at: key.startAt,
  });
