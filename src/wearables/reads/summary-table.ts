import { z } from 'zod';
import { GivenDay } from '../../platform/given-moments.ts';
import type { SummedResource } from '../readings.ts';
import { SUMMARIES } from '../summaries/summaries.ts';
import { When } from './period.ts';
import { RawActivity, RawBody, RawSleep, RawWorkout } from './raw-schema.ts';

/** How summaries of one resource are read. */
export interface SummaryRead {
  readonly resource: SummedResource;
  /** In addresses; the name of the list in answers, too. */
  readonly path: string;
  readonly label: string;
  /** Of `start_date` and `end_date`. */
  readonly date: z.ZodType<string, string>;
  readonly answer: z.ZodType;
  /** Of what the providers sent, where it can be had. */
  readonly raw: z.ZodType | undefined;
  /** What the list of the answer is called. */
  readonly list: string;
}

interface Row {
  readonly answer: string;
  /** The name in the contract of the raw answer. */
  readonly raw?: readonly [name: string, item: z.ZodType];
  readonly list?: string;
  /** Days only; else a date and time will do as well. */
  readonly date?: z.ZodType<string, string>;
}

type Listed = Exclude<SummedResource, 'profile'>;

// prettier-ignore
const ROWS: { readonly [R in Listed]: Row } = {
  activity:          { answer: 'ClientActivityResponse', raw: ['RawActivityResponse', RawActivity] },
  sleep:             { answer: 'ClientSleepResponse',    raw: ['RawSleepResponse', RawSleep] },
  body:              { answer: 'ClientBodyResponse',     raw: ['RawBodyResponse', RawBody] },
  workouts:          { answer: 'ClientWorkoutResponse',  raw: ['RawWorkoutResponse', RawWorkout] },
  meal:              { answer: 'ClientFacingMealResponse', list: 'meals' },
  menstrual_cycle:   { answer: 'MenstrualCycleResponse',   date: GivenDay },
  sleep_cycle:       { answer: 'ClientSleepCycleResponse', date: GivenDay },
  electrocardiogram: { answer: 'ClientFacingElectrocardiogramResponse', date: GivenDay },
};

export const SUMMARY_READS: readonly SummaryRead[] = (Object.entries(ROWS) as [Listed, Row][]).map(
  ([resource, { answer, raw, list = resource, date = When }]) => ({
    resource,
    path: resource,
    label: SUMMARIES[resource].label,
    date,
    list,
    answer: z.object({ [list]: z.array(SUMMARIES[resource].view) }).meta({ id: answer }),
    raw: raw && z.object({ [list]: z.array(raw[1]) }).meta({ id: raw[0] }),
  }),
);
