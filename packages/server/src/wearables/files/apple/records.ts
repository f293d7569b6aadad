import type { ReadingOrigin, HealthSample } from '../../../readings/readings.ts';
import type { FileReport } from '../report.ts';
import { DayCollector } from './days.ts';
import { SampleBatcher } from './sample-batcher.ts';
import { HeartRateIndex } from './heart-rate-index.ts';
import { parseAppleTimestamp, TIME_ZONE_KEY, type LocalTimestamp } from './timestamps.ts';
import { createOriginReader } from './origin.ts';
import { SleepCollector, parseSleepStage } from './sleep.ts';
import {
  CATEGORIES,
  BODY_FIELDS,
  DAY_FIELDS,
  QUANTITIES,
  type AppleCategory,
  type AppleQuantity,
} from './types.ts';
import { convertText } from './units.ts';

type AppleRecordAttributes = Readonly<Record<string, string>>;

/** A record element with the metadata entries that are used. */
export interface RecordElement {
  readonly attributes: AppleRecordAttributes;
  readonly line: number;
  metadata: Map<string, string> | null;
}

interface RecordTiming {
  readonly start: LocalTimestamp;
  readonly end: LocalTimestamp;
  readonly origin: ReadingOrigin;
}

const QUANTITY = 'HKQuantityTypeIdentifier';
const CATEGORY = 'HKCategoryTypeIdentifier';
const PRESSURE_TYPES = ['BloodPressureSystolic', 'BloodPressureDiastolic'];

/** Collects what the records of an export turn into while it is read. */
export class RecordCollector {
  readonly originOf = createOriginReader();
  readonly samples = new SampleBatcher();
  readonly sleeps = new SleepCollector();
  readonly days = new DayCollector();
  readonly hearts = new HeartRateIndex();
  readonly #report: FileReport;

  constructor(report: FileReport) {
    this.#report = report;
  }

  take({ attributes, line, metadata }: RecordElement): void {
    const type = attributes['type'] ?? '';
    const isCategory = type.startsWith(CATEGORY);
    const name = type.slice(isCategory ? CATEGORY.length : QUANTITY.length);
    // Blood pressure values also occur as a correlation, which is used instead.
    if (PRESSURE_TYPES.includes(name)) return;
    if (!isCategory && !type.startsWith(QUANTITY)) return this.#report.skip(type);
    const zone = metadata?.get(TIME_ZONE_KEY);
    const start = parseAppleTimestamp(attributes['startDate'], zone);
    const end = parseAppleTimestamp(attributes['endDate'], zone) ?? start;
    if (!start || !end || end.at < start.at)
      return this.#report.fault(`line ${line}`, `${name} without a valid time`);
    const timed: RecordTiming = { start, end, origin: this.originOf(attributes) };
    const problem = isCategory
      ? this.#category(name, attributes, timed)
      : this.#quantity(name, { attributes, metadata }, timed);
    if (problem !== undefined) this.#report.fault(`line ${line}`, problem);
  }

  /** A blood pressure correlation and the records in it. */
  pressure(
    attributes: AppleRecordAttributes,
    parts: ReadonlyMap<string, AppleRecordAttributes>,
    line: number,
  ): void {
    const at = parseAppleTimestamp(attributes['startDate']);
    const [systolic, diastolic] = PRESSURE_TYPES.map((name) => {
      const part = parts.get(`${QUANTITY}${name}`);
      return part && convertText(part['value'], { from: part['unit'] ?? '', to: 'mmHg' });
    });
    if (!at || systolic === undefined || diastolic === undefined) {
      return this.#report.fault(`line ${line}`, 'a blood pressure without both of its values');
    }
    this.samples.add('blood_pressure', this.originOf(attributes), {
      at: at.at,
      until: null,
      offset: at.offset,
      type: null,
      value: null,
      more: { systolic, diastolic },
    });
  }

  /** Returns the problem, if there is one. */
  #quantity(
    name: string,
    element: Pick<RecordElement, 'attributes' | 'metadata'>,
    timed: RecordTiming,
  ): string | undefined {
    const row = QUANTITIES[name];
    const ofDay = DAY_FIELDS[name];
    if (!row && !ofDay && name !== 'Height') {
      this.#report.skip(name);
      return undefined;
    }
    const { value: text = '', unit: from = '' } = element.attributes;
    const to = row?.unit ?? (ofDay ? 'bpm' : 'cm');
    const value = convertText(text, { from, to });
    if (value === undefined) return `${name} of ${text || 'nothing'} ${from}: not a value in a known unit`;
    if (ofDay) this.days.heart(ofDay, value, timed.start);
    else if (row) this.#sample(row, { value, metadata: element.metadata }, timed);
    else this.days.height(value, timed.start.at);
    return undefined;
  }

  #sample(
    row: AppleQuantity,
    { value, metadata }: { value: number; metadata: RecordElement['metadata'] },
    timed: RecordTiming,
  ): void {
    const { start, end, origin } = timed;
    const own = row.resource === 'insulin_injection' ? toInsulinFields(metadata) : {};
    this.samples.add(row.resource, origin, {
      at: start.at,
      until: row.over ? end.at : null,
      offset: start.offset,
      type: row.type ?? null,
      value,
      more: row.more ?? null,
      ...own,
    });
    if (row.resource === 'heartrate') this.hearts.add(start.at, value);
    const field = BODY_FIELDS[row.resource];
    if (field !== undefined) this.days.body(field, value, { ...start, origin });
  }

  #category(name: string, { value }: AppleRecordAttributes, timed: RecordTiming): string | undefined {
    if (name === 'SleepAnalysis') return this.#sleep(value, timed);
    const row = CATEGORIES[name];
    if (row) return this.#event(row, value, timed);
    this.#report.skip(name);
    return undefined;
  }

  #sleep(value: string | undefined, timed: RecordTiming): string | undefined {
    const stage = parseSleepStage(value);
    if (!stage) return `unknown sleep stage: ${value ?? 'none'}`;
    return this.sleeps.add(timed.origin, stage, timed)
      ? undefined
      : 'a sleep stage with an implausible duration';
  }

  #event(
    { resource, value, type, types }: AppleCategory,
    said: string | undefined,
    { start, end, origin }: RecordTiming,
  ): string | undefined {
    const kind = types ? types[said ?? ''] : (type ?? null);
    if (kind === undefined) return `unknown value of ${resource}: ${said ?? 'none'}`;
    const minutes = (end.at - start.at) / 60_000;
    this.samples.add(resource, origin, {
      at: start.at,
      until: end.at,
      offset: start.offset,
      type: kind,
      value: value === 'one' ? 1 : minutes,
      more: null,
    });
    return undefined;
  }
}

/** Apple states the reason of an insulin delivery: basal or bolus. */
function toInsulinFields(metadata: ReadonlyMap<string, string> | null): Pick<HealthSample, 'type' | 'more'> {
  const reason = metadata?.get('HKInsulinDeliveryReason');
  const mode = reason === '1' ? 'basal' : reason === '2' ? 'bolus' : null;
  return { type: mode === 'basal' ? 'long_acting' : 'rapid_acting', more: { delivery_mode: mode } };
}
