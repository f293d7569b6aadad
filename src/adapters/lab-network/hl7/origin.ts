import type { Origin } from '../received.ts';
import { hasHour } from './moment.ts';
import { first, type Reading } from './parts.ts';
import type { Part } from './walk.ts';

/** What an OBR and its SPM say of the draw; undefined where they say nothing. */
export function originOf({ read, moment }: Reading, { request, order, specimens }: Part): Origin | undefined {
  const filler = read.get(request, 3) ?? read.get(order, 3);
  const specimen = specimenOf(specimens.map((one) => read.get(one, 2, 2) ?? read.get(one, 2, 1)));
  const drawn = read.get(request, 7) ?? first(specimens, (one) => read.get(one, 17));
  const drawnAt = moment(drawn);
  const origin = {
    ...(filler === null ? {} : { filler }),
    ...(specimen === null ? {} : { specimen }),
    ...(drawnAt === null ? {} : { drawnAt, ...(hasHour(drawn) ? {} : { isDay: true as const }) }),
  };
  return Object.keys(origin).length === 0 ? undefined : origin;
}

/** Of several specimens it is not told which one a result is of. */
const specimenOf = (names: readonly (string | null)[]): string | null =>
  new Set(names).size === 1 ? (names[0] ?? null) : null;
