import type { Origin, ReceivedObservation, ReceivedReport } from '../../adapters/lab-network/port.ts';

/**
 * A report as it is sealed; `receivedOf` reads it back as it was. Observations are rows without the names of their
 * fields, and a panel is written once for all that were reported under it: a fourth of the text that they are as objects.
 */
export function textOfReceived({ observations, ...head }: ReceivedReport): string {
  const tests: Part[] = [];
  const rows: Row[] = [];
  for (const { test, origin, ...observation } of observations) {
    const last = tests.at(-1);
    if (last === undefined || !isSameTest(last, test) || !isSameOrigin(last.origin, origin))
      tests.push(origin === undefined ? test : { ...test, origin });
    rows.push(rowOf(observation, tests.length - 1));
  }
  return JSON.stringify([head, tests, rows]);
}

type Test = ReceivedObservation['test'];

/** What many observations have in common. */
interface Part extends Test {
  readonly origin?: Origin;
}

const isSameTest = (one: Test, other: Test): boolean =>
  one === other || (one.code === other.code && one.name === other.name && one.loinc === other.loinc);

const isSameOrigin = (one: Origin | undefined, other: Origin | undefined): boolean =>
  one === other ||
  (one?.filler === other?.filler &&
    one?.specimen === other?.specimen &&
    one?.drawnAt?.getTime() === other?.drawnAt?.getTime() &&
    one?.isDay === other?.isDay);

/** In this order, since it is kept. */
type Row = readonly [
  test: number,
  code: string | null,
  name: string,
  loinc: string | null,
  form: ReceivedObservation['form'],
  value: string | null,
  unit: string | null,
  referenceRange: string | null,
  flags: readonly string[],
  status: ReceivedObservation['status'],
  notes: readonly string[],
  performingLaboratory: string | null,
  observedAtMs: number | null,
  ...rare: [subId?: string | null, isAside?: true],
];

const rowOf = (one: Omit<ReceivedObservation, 'test' | 'origin'>, test: number): Row => [
  test,
  one.code,
  one.name,
  one.loinc,
  one.form,
  one.value,
  one.unit,
  one.referenceRange,
  one.flags,
  one.status,
  one.notes,
  one.performingLaboratory,
  one.observedAt === null ? null : one.observedAt.getTime(),
  ...rareOf(one),
];

function rareOf({
  subId,
  isAside,
}: Pick<ReceivedObservation, 'subId' | 'isAside'>): [] | [string] | [string | null, true] {
  if (isAside) return [subId ?? null, true];
  return subId === undefined ? [] : [subId];
}

export function receivedOf(text: string): ReceivedReport {
  const read = JSON.parse(text, withMoments);
  // Earlier versions kept a report as the object that it is.
  if (!Array.isArray(read)) return read;
  const [head, tests, rows] = read;
  const parts = tests.map(({ origin, ...test }: Part) => ({ test, ...(origin ? { origin } : {}) }));
  return { ...head, observations: rows.map((row: Row) => observationOf(row, parts)) };
}

const MOMENTS = new Set(['collectedAt', 'receivedAt', 'reportedAt', 'observedAt', 'drawnAt']);

const withMoments = (key: string, value: unknown): unknown =>
  MOMENTS.has(key) && typeof value === 'string' ? new Date(value) : value;

const NO_PART = { test: { code: null, name: null, loinc: null } };

function observationOf(
  row: Row,
  parts: readonly Pick<ReceivedObservation, 'test' | 'origin'>[],
): ReceivedObservation {
  // prettier-ignore
  const [
    test, code, name, loinc, form, value, unit, referenceRange, flags, status, notes, performingLaboratory, observedAtMs,
    subId, isAside,
  ] = row;
  return {
    ...(parts[test] ?? NO_PART),
    code,
    name,
    loinc,
    ...(subId == null ? {} : { subId }),
    ...(isAside ? { isAside } : {}),
    form,
    value,
    unit,
    referenceRange,
    flags,
    status,
    notes,
    performingLaboratory,
    observedAt: observedAtMs === null ? null : new Date(observedAtMs),
  };
}
