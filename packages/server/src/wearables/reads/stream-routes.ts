import { z } from 'zod';
import type { Http } from '../../platform/http/http.ts';
import { SleepStream } from '../../readings/readings.ts';
import { WorkoutStream } from './stream-schema.ts';
import { getSleepStream, getWorkoutStream } from './streams.ts';

const tag = 'Timeseries';
// The view of a sample depends on its resource, which the compiler cannot track.
const SleepStreamResponse: z.ZodType = SleepStream;

export function streamRoutes(http: Http): void {
  http.get('/v2/timeseries/workouts/:workout_id/stream', {
    schema: {
      operationId: 'getWorkoutStream',
      summary: 'Get the stream of a workout',
      tag,
      params: z.object({ workout_id: z.guid() }),
      response: { 200: WorkoutStream },
    },
    handler: ({ work, params }) => getWorkoutStream(work, params.workout_id),
  });
  http.get('/v2/timeseries/sleep/:sleep_id/stream', {
    schema: {
      operationId: 'getSleepStream',
      summary: 'Get the stream of a sleep',
      tag,
      params: z.object({ sleep_id: z.guid() }),
      response: { 200: SleepStreamResponse },
    },
    handler: ({ work, params }) => getSleepStream(work, params.sleep_id),
  });
}
