import type { LocationSlots, SchedulingProvider, VisitLocation } from '../../adapters/scheduling/port.ts';
import { resolveFirstDay, type SlotSelection } from './cached-availability.ts';

/**
 * Queries the provider's current slots, in the order of the places. One query per first day: if each place starts with
 * its local today, places in different time zones may have different first days.
 */
export async function queryProvider(
  provider: SchedulingProvider,
  places: readonly VisitLocation[],
  { wanted, now }: SlotSelection,
): Promise<LocationSlots[]> {
  const byFirstDay = new Map<string, VisitLocation[]>();
  for (const place of places) {
    const first = resolveFirstDay(place, wanted, now);
    byFirstDay.set(first, [...(byFirstDay.get(first) ?? []), place]);
  }
  const answers = await Promise.all(
    [...byFirstDay].map(([from, group]) =>
      provider.availability({ places: group, from, days: wanted.days, now }),
    ),
  );
  const slots = new Map(answers.flat().map((answer) => [answer.place, answer.slots]));
  return places.map((place) => ({ place, slots: slots.get(place) ?? [] }));
}
