import { z } from 'zod';
import { openEnum } from '../../platform/open-enum.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import {
  NullableNumber,
  NullableInteger,
  flatSourceFields,
  commonSummaryFields,
  NullableString,
  TimeZone,
} from '../source.ts';

/** One recording with the device's classification. The voltages are a timeseries. */
export const Electrocardiogram = z
  .object({
    ...commonSummaryFields,
    session_start: Timestamp,
    session_end: Timestamp,
    time_zone: TimeZone,
    voltage_sample_count: z.int(),
    sampling_frequency_hz: NullableNumber,
    heart_rate_mean: NullableInteger.describe('Beats per minute.'),
    classification: openEnum(['sinus_rhythm', 'atrial_fibrillation', 'inconclusive']).nullable(),
    inconclusive_cause: openEnum(['high_heart_rate', 'low_heart_rate', 'poor_reading']).nullable(),
    algorithm_version: NullableString,
    ...flatSourceFields,
    source_device_model: NullableString,
  })
  .meta({ id: 'ClientFacingElectrocardiogram' });
