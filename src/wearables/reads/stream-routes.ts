import { z } from 'zod';
import type { Http } from '../../platform/http/http.ts';
import { SleepStream } from '../summaries/sleep.ts';
import { WorkoutStream } from './stream-schema.ts';
import { sleepStreamOf, workoutStreamOf } from './streams.ts';

const tag = 'Timeseries';
// Samples are viewed by their resource, of which the compiler does not know the fields.
const Answered: z.ZodType = SleepStream;

export function streamRoutes(http: Http): void {
  http.get('/v2/timeseries/workouts/:workout_id/stream', {
    schema: {
      operationId: 'getWorkoutStream',
      summary: 'Read what was measured second by second in a workout',
      tag,
      params: z.object({ workout_id: z.guid() }),
      response: { 200: WorkoutStream },
    },
    handler: ({ work, params }) => workoutStreamOf(work, params.workout_id),
  });
  http.get('/v2/timeseries/sleep/:sleep_id/stream', {
    schema: {
      operationId: 'getSleepStream',
      summary: 'Read what was measured during a sleep',
      tag,
      params: z.object({ sleep_id: z.guid() }),
      response: { 200: Answered },
    },
    handler: ({ work, params }) => sleepStreamOf(work, params.sleep_id),
  });
}
