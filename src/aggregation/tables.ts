import type { PriorityResource } from '../provider-settings/provider-settings.ts';
import { COUNTED, type Counted, type SummedResource, type TimeseriesName } from '../wearables/wearables.ts';
import type { Column, Row, RowSource } from './row.ts';
import {
  ACTIVITY,
  BODY,
  dayOf,
  MEAL,
  MENSTRUAL_CYCLE,
  PROFILE,
  SLEEP,
  WORKOUT,
  type Reads,
} from './summary-columns.ts';
import { sampleColumns } from './timeseries-columns.ts';

/** What a query reads from: the summaries of one resource, or its samples. */
export interface Table {
  /** As where-clauses call it. */
  readonly name: string;
  readonly reads:
    | { readonly kind: 'summaries'; readonly resource: SummedResource; readonly index: IndexField }
    | { readonly kind: 'samples'; readonly resource: TimeseriesName };
  /** Whose order of sources counts; null: none can be set. */
  readonly priority: PriorityResource | null;
  readonly index: Column;
  readonly columns: ReadonlyMap<string, Column>;
}

/** The field of a summary that says when it was, and whether it is a day or a moment. */
export interface IndexField {
  readonly field: string;
  readonly kind: 'moment' | 'day';
}

interface SummaryTable {
  readonly resource: SummedResource;
  readonly index: IndexField;
  readonly priority: PriorityResource | null;
  readonly columns: Reads;
}

const day = (field: string): IndexField => ({ field, kind: 'day' });
const moment = (field: string): IndexField => ({ field, kind: 'moment' });

// prettier-ignore
const SUMMARY_TABLES: Readonly<Record<string, SummaryTable>> = {
  activity:        { resource: 'activity',        index: day('calendar_date'),   priority: 'activity', columns: ACTIVITY },
  sleep:           { resource: 'sleep',           index: moment('bedtime_stop'), priority: 'sleep',    columns: SLEEP },
  workout:         { resource: 'workouts',        index: moment('time_start'),   priority: 'workouts', columns: WORKOUT },
  body:            { resource: 'body',            index: day('calendar_date'),   priority: 'body',     columns: BODY },
  meal:            { resource: 'meal',            index: moment('timestamp'),    priority: null,       columns: MEAL },
  menstrual_cycle: { resource: 'menstrual_cycle', index: day('period_start'),    priority: null,       columns: MENSTRUAL_CYCLE },
  profile:         { resource: 'profile',         index: moment('updated_at'),   priority: null,       columns: PROFILE },
};

export const SUMMARY_TABLE_NAMES = Object.keys(SUMMARY_TABLES);

const SOURCE_FIELDS: Readonly<Record<string, (source: RowSource) => string | null>> = {
  source_provider: ({ provider }) => provider,
  source_type: ({ type }) => type,
  source_app_id: ({ appId }) => appId,
  source_device_id: ({ deviceId }) => deviceId,
  source_workout_id: ({ workoutId }) => workoutId,
  source_sport: ({ sport }) => sport,
};

/** The columns of every table that say where a row came from. */
export const sourceColumn = (name: string): Column | undefined => {
  const of = SOURCE_FIELDS[name];
  return of && { name, kind: 'text', of: ({ source }: Row) => of(source) };
};

const sourceColumns = (names: readonly string[]): [string, Column][] =>
  names.flatMap((name) => {
    const column = sourceColumn(name);
    return column ? [[name, column] as [string, Column]] : [];
  });

const OF_SUMMARIES = ['source_provider', 'source_type', 'source_app_id', 'source_device_id'];
// prettier-ignore
const OF_SAMPLES = ['source_provider', 'source_type', 'source_app_id', 'source_workout_id', 'source_sport'];

const summaryTables = new Map(
  Object.entries(SUMMARY_TABLES).map(([name, row]) => [name, tableOf(name, row)]),
);

function tableOf(name: string, { resource, index, priority, columns }: SummaryTable): Table {
  const own = Object.entries(columns).map(([column, read]): [string, Column] => [
    column,
    { name: column, ...read },
  ]);
  return {
    name,
    reads: { kind: 'summaries', resource, index },
    priority,
    index: { name: 'index', kind: index.kind, of: ({ at }) => at },
    columns: new Map([...own, ...sourceColumns(OF_SUMMARIES)]),
  };
}

export const summaryTable = (name: string): Table | undefined => summaryTables.get(name);

export const sampleTable = (resource: TimeseriesName): Table => ({
  name: 'timeseries',
  reads: { kind: 'samples', resource },
  priority: 'timeseries',
  index: { name: 'index', kind: 'moment', of: ({ at }) => at },
  columns: new Map([...sampleColumns(resource), ...sourceColumns(OF_SAMPLES)]),
});

/** What several devices may count at the same time: its sum is merged, see docs/aggregation.md. */
export const countedOf = ({ reads }: Table): Counted | undefined =>
  COUNTED.find((one) => one === reads.resource);

/** When a summary was, in milliseconds: a day is its midnight on the wall, a moment goes through the wall. */
export function indexOf(fields: Readonly<Record<string, unknown>>, { field, kind }: IndexField) {
  const value = fields[field];
  const parsed = kind === 'day' ? dayOf(value) : Date.parse(String(value));
  return parsed === null || Number.isNaN(parsed) ? null : parsed;
}
