import { z } from 'zod';

const Column = z.array(z.number().nullable());

/** Second-by-second measurements of a workout: columns of equal length, or empty if not measured. */
export const WorkoutStream = z
  .object({
    time: z.array(z.int()).describe('Seconds since 1970.'),
    cadence: Column,
    altitude: Column.describe('Meters.'),
    velocity_smooth: Column.describe('Meters per second.'),
    heartrate: z.array(z.int().nullable()),
    lat: Column,
    lng: Column,
    distance: Column.describe('Meters.'),
    power: Column.describe('Watts.'),
    resistance: Column,
    temperature: Column.describe('Degrees Celsius.'),
  })
  .meta({ id: 'ClientFacingStream' });
export type WorkoutStream = z.output<typeof WorkoutStream>;
