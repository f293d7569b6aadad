import type { ReceivedObservation, ReceivedReport } from '../../adapters/lab-network/port.ts';

/**
 * A report as it is sealed; `receivedOf` reads it back as it was. Observations are rows without the names of their
 * fields, and a panel is written once for all that were reported under it: a fourth of the text that they are as objects.
 */
export function textOfReceived({ observations, ...head }: ReceivedReport): string {
  const tests: Test[] = [];
  const rows: Row[] = [];
  for (const observation of observations) {
    const last = tests.at(-1);
    if (last === undefined || !isSameTest(last, observation.test)) tests.push(observation.test);
    rows.push(rowOf(observation, tests.length - 1));
  }
  return JSON.stringify([head, tests, rows]);
}

type Test = ReceivedObservation['test'];

const isSameTest = (one: Test, other: Test): boolean =>
  one === other || (one.code === other.code && one.name === other.name && one.loinc === other.loinc);

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
  ...subId: string[],
];

const rowOf = (one: ReceivedObservation, test: number): Row => [
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
  ...(one.subId === undefined ? [] : [one.subId]),
];

export function receivedOf(text: string): ReceivedReport {
  const read = JSON.parse(text, withMoments);
  // Earlier versions kept a report as the object that it is.
  if (!Array.isArray(read)) return read;
  const [head, tests, rows] = read;
  return { ...head, observations: rows.map((row: Row) => observationOf(row, tests)) };
}

const MOMENTS = new Set(['collectedAt', 'receivedAt', 'reportedAt', 'observedAt']);

const withMoments = (key: string, value: unknown): unknown =>
  MOMENTS.has(key) && typeof value === 'string' ? new Date(value) : value;

function observationOf(row: Row, tests: readonly Test[]): ReceivedObservation {
  // prettier-ignore
  const [
    test, code, name, loinc, form, value, unit, referenceRange, flags, status, notes, performingLaboratory, observedAtMs,
    subId,
  ] = row;
  return {
    test: tests[test] ?? { code: null, name: null, loinc: null },
    code,
    name,
    loinc,
    ...(subId === undefined ? {} : { subId }),
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
