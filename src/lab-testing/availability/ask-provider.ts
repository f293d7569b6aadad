import type { PlaceSlots, SchedulingProvider, VisitPlace } from '../../adapters/scheduling/port.ts';
import { firstDayAt, type Asked } from './kept.ts';

/**
 * What the provider says now, in the order of the places. Where every place begins with its own today, it is asked
 * once for each such day: around midnight it is another one in the east than in the west.
 */
export async function askProvider(
  provider: SchedulingProvider,
  places: readonly VisitPlace[],
  { wanted, now }: Asked,
): Promise<PlaceSlots[]> {
  const byFirstDay = new Map<string, VisitPlace[]>();
  for (const place of places) {
    const first = firstDayAt(place, wanted, now);
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
