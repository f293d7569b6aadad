import { z } from 'zod';
import { flatSourceFields, commonSummaryFields, TimeZone } from '../source.ts';
import { Timestamp } from '../../platform/timestamp.ts';

const SleepStage = z
  .literal([-1, 1, 2, 3, 4, 5])
  .describe('1 deep, 2 light, 3 REM, 4 awake, 5 entered manually; -1 unknown.')
  .meta({ id: 'ServiceSleepStage' });

/** The stages of one sleep, as three lists of equal length. */
export const SleepCycle = z
  .object({
    ...commonSummaryFields,
    sleep_id: z.guid(),
    session_start: Timestamp,
    session_end: Timestamp,
    time_zone: TimeZone,
    stage_start_offset_second: z.array(z.int()).describe('Seconds since session_start.'),
    stage_end_offset_second: z.array(z.int()).describe('Seconds since session_start.'),
    stage_type: z.array(SleepStage),
    ...flatSourceFields,
  })
  .meta({ id: 'ClientFacingSleepCycle' });
