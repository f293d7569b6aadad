import { Activity } from './activity.ts';
import { Body, Profile } from './body.ts';
import { Electrocardiogram } from './electrocardiogram.ts';
import { Meal } from './meal.ts';
import { MenstrualCycle } from './menstrual-cycle.ts';
import { SleepCycle } from './sleep-cycle.ts';
import { Sleep } from './sleep.ts';
import { ShallowWorkoutStream, Workout } from './workout.ts';

/** The summary resources. The event of a workout stream only announces that it can be read. */
// prettier-ignore
export const SUMMARIES = {
  activity:          { label: 'activity of a day', view: Activity },
  sleep:             { label: 'sleep',             view: Sleep },
  sleep_cycle:       { label: 'sleep cycle',       view: SleepCycle },
  workouts:          { label: 'workout',           view: Workout },
  workout_stream:    { label: 'workout stream',    view: ShallowWorkoutStream },
  body:              { label: 'body measures',     view: Body },
  profile:           { label: 'profile',           view: Profile },
  meal:              { label: 'meal',              view: Meal },
  menstrual_cycle:   { label: 'menstrual cycle',   view: MenstrualCycle },
  electrocardiogram: { label: 'electrocardiogram', view: Electrocardiogram },
} as const;
export type SummaryName = keyof typeof SUMMARIES;
