import { z } from 'zod';
import { flatSource, Moment, ofUser, TimeZone } from '../source.ts';

const SleepStage = z
  .literal([-1, 1, 2, 3, 4, 5])
  .describe('1 deep, 2 light, 3 REM, 4 awake, 5 given by hand; -1 where nothing is known.')
  .meta({ id: 'ServiceSleepStage' });

/** The stages of one sleep: three lists of the same length. */
export const SleepCycle = z
  .object({
    ...ofUser,
    sleep_id: z.guid(),
    session_start: Moment,
    session_end: Moment,
    time_zone: TimeZone,
    stage_start_offset_second: z.array(z.int()).describe('Seconds since session_start.'),
    stage_end_offset_second: z.array(z.int()).describe('Seconds since session_start.'),
    stage_type: z.array(SleepStage),
    ...flatSource,
  })
  .meta({ id: 'ClientFacingSleepCycle' });
