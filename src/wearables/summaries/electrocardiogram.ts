import { z } from 'zod';
import { openList } from '../../platform/open-list.ts';
import { Amount, Count, flatSource, Moment, ofUser, Text, TimeZone } from '../source.ts';

/** One recording, and what its device made of it. The voltages are a timeseries. */
export const Electrocardiogram = z
  .object({
    ...ofUser,
    session_start: Moment,
    session_end: Moment,
    time_zone: TimeZone,
    voltage_sample_count: z.int(),
    sampling_frequency_hz: Amount,
    heart_rate_mean: Count.describe('Beats a minute.'),
    classification: openList(['sinus_rhythm', 'atrial_fibrillation', 'inconclusive']).nullable(),
    inconclusive_cause: openList(['high_heart_rate', 'low_heart_rate', 'poor_reading']).nullable(),
    algorithm_version: Text,
    ...flatSource,
    source_device_model: Text,
  })
  .meta({ id: 'ClientFacingElectrocardiogram' });
