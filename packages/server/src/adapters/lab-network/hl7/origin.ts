import type { ObservationOrigin } from '../received.ts';
import { hasHour } from './timestamp.ts';
import { findDefined, type Hl7Readers } from './fields.ts';
import type { RequestSegments } from './group-segments.ts';

/** The request and collection data of an OBR and its SPM; undefined if there are none. */
export function readOrigin(
  { read, readTimestamp }: Hl7Readers,
  { request, order, specimens }: RequestSegments,
): ObservationOrigin | undefined {
  const filler = read.get(request, 3) ?? read.get(order, 3);
  const specimen = getOnlySpecimen(specimens.map((one) => read.get(one, 2, 2) ?? read.get(one, 2, 1)));
  const specimenType =
    specimens.length === 0
      ? (read
          .subparts(read.all(request, 15)[0] ?? '', 1)
          .toReversed()
          .find((part) => part !== null) ?? null)
      : getOnlySpecimen(specimens.map((one) => read.get(one, 4, 2) ?? read.get(one, 4)));
  const drawn = read.get(request, 7) ?? findDefined(specimens, (one) => read.get(one, 17));
  const drawnAt = readTimestamp(drawn);
  const origin = {
    ...(filler === null ? {} : { filler }),
    ...(specimen === null ? {} : { specimen }),
    ...(specimenType === null ? {} : { specimenType }),
    ...(drawnAt === null ? {} : { drawnAt, ...(hasHour(drawn) ? {} : { isDay: true as const }) }),
  };
  return Object.keys(origin).length === 0 ? undefined : origin;
}

/** With several specimens it is unknown which one a result belongs to. */
const getOnlySpecimen = (names: readonly (string | null)[]): string | null =>
  new Set(names).size === 1 ? (names[0] ?? null) : null;
