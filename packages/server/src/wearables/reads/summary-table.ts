import { z } from 'zod';
import { DateInput } from '../../platform/timestamp-input.ts';
import { type SummaryResource, SUMMARIES } from '../../readings/readings.ts';
import { DateOrTimestamp } from './period.ts';
import { RawActivity, RawBody, RawSleep, RawWorkout } from './raw-schema.ts';

/** The read endpoint of one summary resource. */
export interface SummaryEndpoint {
  readonly resource: SummaryResource;
  /** The resource in the URL. */
  readonly path: string;
  readonly label: string;
  /** The schema of `start_date` and `end_date`. */
  readonly date: z.ZodType<string, string>;
  readonly answer: z.ZodType;
  /** The response schema of raw payloads, if they can be read. */
  readonly raw: z.ZodType | undefined;
  /** The name of the list in the response. */
  readonly list: string;
}

interface SummaryEndpointRow {
  readonly answer: string;
  /** The contract's schema id of the raw response. */
  readonly raw?: readonly [name: string, item: z.ZodType];
  readonly list?: string;
  /** Dates only; the default also accepts timestamps. */
  readonly date?: z.ZodType<string, string>;
}

type ListedSummaryResource = Exclude<SummaryResource, 'profile'>;

// prettier-ignore
const ENDPOINT_ROWS: { readonly [R in ListedSummaryResource]: SummaryEndpointRow } = {
  activity:          { answer: 'ClientActivityResponse', raw: ['RawActivityResponse', RawActivity] },
  sleep:             { answer: 'ClientSleepResponse',    raw: ['RawSleepResponse', RawSleep] },
  body:              { answer: 'ClientBodyResponse',     raw: ['RawBodyResponse', RawBody] },
  workouts:          { answer: 'ClientWorkoutResponse',  raw: ['RawWorkoutResponse', RawWorkout] },
  meal:              { answer: 'ClientFacingMealResponse', list: 'meals' },
  menstrual_cycle:   { answer: 'MenstrualCycleResponse',   date: DateInput },
  sleep_cycle:       { answer: 'ClientSleepCycleResponse', date: DateInput },
  electrocardiogram: { answer: 'ClientFacingElectrocardiogramResponse', date: DateInput },
};

export const SUMMARY_ENDPOINTS: readonly SummaryEndpoint[] = (
  Object.entries(ENDPOINT_ROWS) as [ListedSummaryResource, SummaryEndpointRow][]
).map(([resource, { answer, raw, list = resource, date = DateOrTimestamp }]) => ({
  resource,
  path: resource,
  label: SUMMARIES[resource].label,
  date,
  list,
  answer: z.object({ [list]: z.array(SUMMARIES[resource].view) }).meta({ id: answer }),
  raw: raw && z.object({ [list]: z.array(raw[1]) }).meta({ id: raw[0] }),
}));
