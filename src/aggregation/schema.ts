import { z } from 'zod';
import { LABS } from '../provider-settings/provider-settings.ts';
import { GivenDay } from '../platform/given-moments.ts';
import { openList } from '../platform/open-list.ts';
import { PROVIDERS } from '../wearables/schema.ts';
import { FUNCTIONS } from './aggregates.ts';
import { DATE_PARTS, UNITS } from './local-time.ts';
import { SUMMARY_TABLE_NAMES, summaryTable } from './tables.ts';
import { DISCRETE, INTERVAL, TEMPERATURE } from './timeseries-columns.ts';

/*
 * A query, as the contract writes it. The names of columns are open lists here: the plan looks them up, and says
 * exactly which one is not known.
 */

const PERIOD_MAX = 100_000;
const SELECT_MAX = 100;
const GROUP_BY_MAX = 8;
const WHERE_LENGTH_MAX = 4000;

export const PeriodExpr = z
  .object({ value: z.int().min(1).max(PERIOD_MAX).default(1), unit: z.enum(UNITS) })
  .meta({ id: 'Period' });
const Placeholder = z.object({ placeholder: z.literal(true) }).meta({ id: 'Placeholder' });

const columnsOf = (table: string) => [...(summaryTable(table)?.columns.keys() ?? [])];
const columnsIn = (table: string) => openList(columnsOf(table));

const SleepColumn = z.object({ sleep: columnsIn('sleep') }).meta({ id: 'SleepColumnExpr' });
// prettier-ignore
const READINESS = [
  'date', 'chronotype', 'sleep_score', 'recovery_score', 'recovery_zone', 'stress_score', 'strain_score', 'strain_zone',
];
const ReadinessColumn = z
  .object({ derived_readiness: openList(READINESS) })
  .meta({ id: 'DerivedReadinessColumnExpr' });
const ActivityColumn = z.object({ activity: columnsIn('activity') }).meta({ id: 'ActivityColumnExpr' });
const WorkoutColumn = z.object({ workout: columnsIn('workout') }).meta({ id: 'WorkoutColumnExpr' });
const BodyColumn = z.object({ body: columnsIn('body') }).meta({ id: 'BodyColumnExpr' });
const MealColumn = z.object({ meal: columnsIn('meal') }).meta({ id: 'MealColumnExpr' });
const CycleColumn = z
  .object({ menstrual_cycle: columnsIn('menstrual_cycle') })
  .meta({ id: 'MenstrualCycleColumnExpr' });
const ProfileColumn = z.object({ profile: columnsIn('profile') }).meta({ id: 'ProfileColumnExpr' });

const macro = (value: string, id: string) =>
  z
    .object({ value_macro: z.literal(value), version: z.literal('automatic').optional() })
    .meta({ id: `${id}ValueMacroExpr` });
const OtherMacro = z.object({ value_macro: z.string() }).meta({ id: 'UnrecognizedValueMacroExpr' });

const SOURCE_FIELDS = [
  'source_provider',
  'source_type',
  'source_app_id',
  'source_workout_id',
  'source_sport',
];
const OVER_TIME = ['duration', 'value'];

const samples = (id: string, resources: readonly string[], fields: readonly string[]) =>
  z
    .object({
      timeseries: z.enum(resources),
      field: openList([...SOURCE_FIELDS, 'timezone_offset', 'type', ...fields]),
    })
    .meta({ id: `${id}TimeseriesExpr` });

const dataColumns = [
  SleepColumn,
  ReadinessColumn,
  ActivityColumn,
  WorkoutColumn,
  BodyColumn,
  MealColumn,
  CycleColumn,
  ProfileColumn,
  macro('sleep_score', 'SleepScore'),
  macro('chronotype', 'Chronotype'),
  macro('asleep_at', 'AsleepAt'),
  macro('awake_at', 'AwakeAt'),
  macro('awakenings', 'Awakenings'),
  OtherMacro,
  samples('Discrete', DISCRETE, ['value']),
  samples('Interval', INTERVAL, OVER_TIME),
  samples(
    'InsulinInjection',
    ['insulin_injection'],
    [...OVER_TIME, 'delivery_mode', 'delivery_form', 'bolus_purpose'],
  ),
  samples('BloodPressure', ['blood_pressure'], ['systolic', 'diastolic']),
  samples('Temperature', TEMPERATURE, [...OVER_TIME, 'sensor_location']),
  samples('WorkoutDuration', ['workout_duration'], [...OVER_TIME, 'intensity']),
  samples('Note', ['note'], ['tags', 'content']),
] as const;

const IndexColumn = z
  .object({ index: z.enum([...SUMMARY_TABLE_NAMES, 'derived_readiness', 'timeseries']) })
  .meta({ id: 'IndexColumnExpr' });

/** The lists of a menstrual cycle, and what their elements have beside the date. */
// prettier-ignore
const CYCLE_FIELDS = [
  ['menstrual_flow',         'MCMenstrualFlow',         ['date', 'flow']],
  ['cervical_mucus',         'MCCervicalMucus',         ['date', 'quality']],
  ['intermenstrual_bleeding', 'MCIntermenstrualBleeding', ['date']],
  ['contraceptive',          'MCContraceptive',         ['date', 'type']],
  ['detected_deviations',    'MCDetectedDeviations',    ['date', 'deviation']],
  ['ovulation_test',         'MCOvulationTest',         ['date', 'test_result']],
  ['home_pregnancy_test',    'MCHomePregnancyTest',     ['date', 'test_result']],
  ['home_progesterone_test', 'MCHomeProgesteroneTest',  ['date', 'test_result']],
  ['sexual_activity',        'MCSexualActivity',        ['date', 'protection_used']],
  ['basal_body_temperature', 'MCBasalBodyTemperature',  ['date', 'value']],
] as const;

const cycleFields = CYCLE_FIELDS.map(([list, id, fields]) =>
  z
    .object({
      field_for: z.literal('menstrual_cycle').optional(),
      [list]: openList([...fields]),
    })
    .meta({ id: `${id}FieldExpr` }),
);
const Element = z.object({ element: z.literal(true) }).meta({ id: 'ElementFieldExpr' });

const AggregateField = z
  .object({ func: z.enum(FUNCTIONS), arg: z.union([...cycleFields, Element]).nullish() })
  .meta({ id: 'AggregateFieldExpr' });
const Unnest = z.object({ unnest: z.union(dataColumns) }).meta({ id: 'UnnestExpr' });
const Where = z
  .string()
  .max(WHERE_LENGTH_MAX)
  .nullish()
  .describe("Columns compared with literals: `type = 'long_sleep' AND efficiency >= 85`.");
const Subquery = z
  .object({
    select: z.union([AggregateField, Placeholder]),
    from: z.union([Unnest, Placeholder]),
    where: Where,
  })
  .meta({ id: 'ScalarOutputSubqueryExpr' });

const Aggregate = z
  .object({ arg: z.union([...dataColumns, IndexColumn, Subquery]), func: z.enum(FUNCTIONS) })
  .meta({ id: 'AggregateExpr' });
const GroupKeyColumn = z
  .object({ group_key: z.union([z.int(), z.literal('*')]) })
  .meta({ id: 'GroupKeyColumnExpr' });
const SourceColumn = z.object({ source: openList(SOURCE_FIELDS) }).meta({ id: 'SourceColumnExpr' });

const DateTrunc = z
  .object({ date_trunc: PeriodExpr, arg: z.union([IndexColumn, Placeholder]) })
  .meta({ id: 'DateTruncExpr' });
const DatePart = z
  .object({ arg: z.union([IndexColumn, Placeholder]), date_part: z.enum(DATE_PARTS) })
  .meta({ id: 'DatePartExpr' });

const MaxAge = PeriodExpr.nullish();
const Align = z
  .object({
    carry: z.union([
      z.object({ mode: z.literal('carry_forward'), max_age: MaxAge }).meta({ id: 'CarryForwardExpr' }),
      z.object({ mode: z.literal('carry_backward'), max_age: MaxAge }).meta({ id: 'CarryBackwardExpr' }),
      z.object({ mode: z.literal('carry_nearest'), span: MaxAge }).meta({ id: 'CarryNearestExpr' }),
    ]),
  })
  .meta({ id: 'AlignExpr' });

const Selected = z.union([Aggregate, GroupKeyColumn, ...dataColumns, IndexColumn, Subquery, SourceColumn]);
const GroupedBy = z.union([DateTrunc, DatePart, ...dataColumns, SourceColumn]);

export const Query = z
  .object({
    select: z.array(Selected).min(1).max(SELECT_MAX),
    group_by: z.array(GroupedBy).max(GROUP_BY_MAX).optional(),
    where: Where,
    align: Align.nullish(),
  })
  .meta({ id: 'Query' });
export type Query = z.output<typeof Query>;
export type Selected = z.output<typeof Selected>;
export type GroupedBy = z.output<typeof GroupedBy>;
export type Subquery = z.output<typeof Subquery>;
export type Align = z.output<typeof Align>;

const PRIORITIES_MAX = 100;
export const QueryConfig = z
  .object({
    provider_priority_overrides: z
      .array(z.enum([...new Set([...PROVIDERS, ...LABS])]))
      .max(PRIORITIES_MAX)
      .nullish()
      .describe('Providers that count before those of the team’s own order, the first of all first.'),
  })
  .meta({ id: 'QueryConfig' });
export type QueryConfig = z.output<typeof QueryConfig>;

const RelativeTimeframe = z
  .object({
    type: z.literal('relative'),
    anchor: GivenDay.describe('The last day, on the user’s calendar.'),
    past: PeriodExpr.describe('How far back from the end of that day.'),
  })
  .meta({ id: 'RelativeTimeframe' });
export type RelativeTimeframe = z.output<typeof RelativeTimeframe>;

/** The sleep of four weeks, week by week; choices within choices have no shorter example that means something. */
const EXAMPLE = {
  timeframe: { type: 'relative', anchor: '2026-03-01', past: { value: 4, unit: 'week' } },
  queries: [
    {
      select: [{ group_key: '*' }, { func: 'mean', arg: { sleep: 'efficiency' } }],
      group_by: [{ date_trunc: { value: 1, unit: 'week' }, arg: { index: 'sleep' } }],
      where: "type = 'long_sleep'",
    },
  ],
} as const;

const QUERIES_MAX = 20;
export const QueryBatch = z
  .object({
    timeframe: z.union([RelativeTimeframe, Placeholder]),
    queries: z.array(Query).min(1).max(QUERIES_MAX),
    config: QueryConfig.optional(),
  })
  .meta({ id: 'QueryBatch', examples: [EXAMPLE] });
export type QueryBatch = z.output<typeof QueryBatch>;

export const ResultTable = z
  .object({
    table: z.record(z.string(), z.array(z.unknown())).describe('Columns of one length, by name.'),
  })
  .meta({ id: 'AggregationResult' });
export const QueryAnswer = z
  .object({ results: z.array(ResultTable).describe('One for each query, in their order.') })
  .meta({ id: 'AggregationResponse' });
