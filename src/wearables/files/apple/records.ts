import type { Origin, Sample } from '../../readings.ts';
import type { FileReport } from '../report.ts';
import { Days } from './days.ts';
import { Gathered } from './gather.ts';
import { Hearts } from './hearts.ts';
import { momentIn, type LocalMoment } from './moments.ts';
import { originReader } from './origin.ts';
import { Sleeps, stageOf } from './sleep.ts';
import { CATEGORIES, OF_BODY, OF_DAY, QUANTITIES, type CategoryRow, type QuantityRow } from './types.ts';
import { inUnit } from './units.ts';

type Attributes = Readonly<Record<string, string>>;

/** A record element, and the entries of its metadata that matter. */
export interface RecordElement {
  readonly attributes: Attributes;
  readonly line: number;
  metadata: Map<string, string> | null;
}

interface Timed {
  readonly start: LocalMoment;
  readonly end: LocalMoment;
  readonly origin: Origin;
}

const QUANTITY = 'HKQuantityTypeIdentifier';
const CATEGORY = 'HKCategoryTypeIdentifier';
const PRESSURES = ['BloodPressureSystolic', 'BloodPressureDiastolic'];

/** Everything that the records of an export become, while it is read. */
export class Records {
  readonly originOf = originReader();
  readonly samples = new Gathered();
  readonly sleeps = new Sleeps();
  readonly days = new Days();
  readonly hearts = new Hearts();
  readonly #report: FileReport;

  constructor(report: FileReport) {
    this.#report = report;
  }

  take({ attributes, line, metadata }: RecordElement): void {
    const type = attributes['type'] ?? '';
    const isCategory = type.startsWith(CATEGORY);
    const name = type.slice(isCategory ? CATEGORY.length : QUANTITY.length);
    // A blood pressure comes once more as the pair that it is.
    if (PRESSURES.includes(name)) return;
    if (!isCategory && !type.startsWith(QUANTITY)) return this.#report.skip(type);
    const start = momentIn(attributes['startDate']);
    const end = momentIn(attributes['endDate']) ?? start;
    if (!start || !end || end.at < start.at)
      return this.#report.fault(`line ${line}`, `${name} without a time that there is`);
    const timed: Timed = { start, end, origin: this.originOf(attributes) };
    const problem = isCategory
      ? this.#category(name, attributes, timed)
      : this.#quantity(name, { attributes, metadata }, timed);
    if (problem !== undefined) this.#report.fault(`line ${line}`, problem);
  }

  /** A pair of records that stand in one another. */
  pressure(attributes: Attributes, parts: ReadonlyMap<string, Attributes>, line: number): void {
    const at = momentIn(attributes['startDate']);
    const [systolic, diastolic] = PRESSURES.map((name) => {
      const part = parts.get(`${QUANTITY}${name}`);
      return part && inUnit(Number(part['value']), { from: part['unit'] ?? '', to: 'mmHg' });
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

  /** Answers what is wrong with it. */
  #quantity(
    name: string,
    element: Pick<RecordElement, 'attributes' | 'metadata'>,
    timed: Timed,
  ): string | undefined {
    const row = QUANTITIES[name];
    const ofDay = OF_DAY[name];
    if (!row && !ofDay && name !== 'Height') {
      this.#report.skip(name);
      return undefined;
    }
    const { value: text = '', unit: from = '' } = element.attributes;
    const to = row?.unit ?? (ofDay ? 'bpm' : 'cm');
    const value = text === '' ? undefined : inUnit(Number(text), { from, to });
    if (value === undefined || !Number.isFinite(value))
      return `${name} of ${text || 'nothing'} ${from}: not a value in a unit that is known`;
    if (ofDay) this.days.heart(ofDay, value, timed.start);
    else if (row) this.#sample(row, { value, metadata: element.metadata }, timed);
    else this.days.height(value, timed.start.at);
    return undefined;
  }

  #sample(
    row: QuantityRow,
    { value, metadata }: { value: number; metadata: RecordElement['metadata'] },
    timed: Timed,
  ): void {
    const { start, end, origin } = timed;
    const own = row.resource === 'insulin_injection' ? insulinOf(metadata) : {};
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
    const field = OF_BODY[row.resource];
    if (field !== undefined) this.days.body(field, value, { ...start, origin });
  }

  #category(name: string, { value }: Attributes, timed: Timed): string | undefined {
    if (name === 'SleepAnalysis') return this.#sleep(value, timed);
    const row = CATEGORIES[name];
    if (row) return this.#event(row, value, timed);
    this.#report.skip(name);
    return undefined;
  }

  #sleep(value: string | undefined, timed: Timed): string | undefined {
    const stage = stageOf(value);
    if (!stage) return `a stage of sleep that is not known: ${value ?? 'none'}`;
    return this.sleeps.add(timed.origin, stage, timed)
      ? undefined
      : 'a stage of sleep that lasts no time, or days';
  }

  #event(
    { resource, value, type, types }: CategoryRow,
    said: string | undefined,
    { start, end, origin }: Timed,
  ): string | undefined {
    const kind = types ? types[said ?? ''] : (type ?? null);
    if (kind === undefined) return `a value of ${resource} that is not known: ${said ?? 'none'}`;
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

/** Apple tells why insulin was given: as the base of the day, or for a meal. */
function insulinOf(metadata: ReadonlyMap<string, string> | null): Pick<Sample, 'type' | 'more'> {
  const reason = metadata?.get('HKInsulinDeliveryReason');
  const mode = reason === '1' ? 'basal' : reason === '2' ? 'bolus' : null;
  return { type: mode === 'basal' ? 'long_acting' : 'rapid_acting', more: { delivery_mode: mode } };
}
