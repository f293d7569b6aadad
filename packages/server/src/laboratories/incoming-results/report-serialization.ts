import type {
  ObservationOrigin,
  ReceivedObservation,
  ReceivedReport,
  ReportTiming,
} from '../../adapters/lab-network/port.ts';

/**
 * Serializes a report for storage; `deserializeReport` restores it. Observations are arrays without field names, and
 * shared panel data are written once, which needs a quarter of the size of plain objects. The bytes of documents are
 * stored separately.
 */
export function serializeReport(report: ReceivedReport): string {
  return appendTiming(serializeContent(report), report.timing);
}

/** The text without the timing, which differs each time that a laboratory sends the same report. */
export function serializeContent({ observations, timing: _timing, ...report }: ReceivedReport): string {
  const head = report.documents
    ? { ...report, documents: report.documents.map(({ content: _content, ...rest }) => rest) }
    : report;
  const tests: SharedObservationFields[] = [];
  const rows: ObservationRow[] = [];
  for (const { test, origin, ...observation } of observations) {
    const last = tests.at(-1);
    if (last === undefined || !isSameTest(last, test) || !isSameOrigin(last.origin, origin))
      tests.push(origin === undefined ? test : { ...test, origin });
    rows.push(toObservationRow(observation, tests.length - 1));
  }
  return JSON.stringify([head, tests, rows]);
}

/** Adds the timing to the serialized content as the last element of its array. */
export const appendTiming = (content: string, timing: ReportTiming | undefined): string =>
  timing === undefined ? content : `${content.slice(0, -1)},${JSON.stringify(timing)}]`;

type ObservedTest = ReceivedObservation['test'];

/** The data that several observations share. */
interface SharedObservationFields extends ObservedTest {
  readonly origin?: ObservationOrigin;
}

const isSameTest = (one: ObservedTest, other: ObservedTest): boolean =>
  one === other || (one.code === other.code && one.name === other.name && one.loinc === other.loinc);

const isSameOrigin = (one: ObservationOrigin | undefined, other: ObservationOrigin | undefined): boolean =>
  one === other ||
  (one?.filler === other?.filler &&
    one?.specimen === other?.specimen &&
    one?.specimenType === other?.specimenType &&
    one?.drawnAt?.getTime() === other?.drawnAt?.getTime() &&
    one?.isDay === other?.isDay);

/** Fields that few observations have. */
type RareDetails = Pick<ReceivedObservation, 'snomed' | 'method' | 'statement'>;

/** A storage format: never change the order of the elements. */
type ObservationRow = readonly [
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
  ...rare: [subId?: string | null, isAside?: true | null, details?: RareDetails],
];

const toObservationRow = (
  one: Omit<ReceivedObservation, 'test' | 'origin'>,
  test: number,
): ObservationRow => [
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
  ...toOptionalCells(one),
];

const RARE_DETAILS = ['snomed', 'method', 'statement'] as const;

function toOptionalCells(
  one: Omit<ReceivedObservation, 'test' | 'origin'>,
): [] | [string] | [string | null, true] | [string | null, true | null, RareDetails] {
  const { subId, isAside } = one;
  const details = RARE_DETAILS.flatMap((name) => (one[name] === undefined ? [] : [[name, one[name]]]));
  if (details.length > 0) return [subId ?? null, isAside ?? null, Object.fromEntries(details)];
  if (isAside) return [subId ?? null, true];
  return subId === undefined ? [] : [subId];
}

export function deserializeReport(text: string): ReceivedReport {
  const read = JSON.parse(text, reviveDates);
  // Earlier versions stored a report as a plain object.
  if (!Array.isArray(read)) return read;
  const [head, tests, rows, timing] = read;
  const parts = tests.map(({ origin, ...test }: SharedObservationFields) => ({
    test,
    ...(origin ? { origin } : {}),
  }));
  return {
    ...head,
    observations: rows.map((row: ObservationRow) => toObservation(row, parts)),
    ...(timing ? { timing } : {}),
  };
}

const DATE_KEYS = new Set(['collectedAt', 'receivedAt', 'reportedAt', 'observedAt', 'drawnAt', 'sentAt']);

const reviveDates = (key: string, value: unknown): unknown =>
  DATE_KEYS.has(key) && typeof value === 'string' ? new Date(value) : value;

const NO_SHARED_FIELDS = { test: { code: null, name: null, loinc: null } };

function toObservation(
  row: ObservationRow,
  parts: readonly Pick<ReceivedObservation, 'test' | 'origin'>[],
): ReceivedObservation {
  // prettier-ignore
  const [
    test, code, name, loinc, form, value, unit, referenceRange, flags, status, notes, performingLaboratory, observedAtMs,
    subId, isAside, details,
  ] = row;
  return {
    ...(parts[test] ?? NO_SHARED_FIELDS),
    code,
    name,
    loinc,
    ...(subId == null ? {} : { subId }),
    ...(isAside ? { isAside } : {}),
    ...details,
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
