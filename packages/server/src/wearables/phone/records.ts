import { isoTimestamp } from '../../platform/clock.ts';
import type { SummaryReading } from '../../readings/readings.ts';
import { createFault } from '../ingestion/ingestion.ts';
import type { PhoneReadings } from './daily-summaries.ts';
import {
  asItem,
  asItems,
  dayOf,
  integerOf,
  momentOf,
  numberOf,
  offsetOf,
  originOf,
  textOf,
  type PhoneContext,
  type PhoneItem,
} from './payload.ts';
import { SampleCollector } from './samples.ts';

/** Menstrual cycles: the SDKs send the form of the contract, and the app in fields of its own. */
export function toCycles(context: PhoneContext, data: unknown): PhoneReadings {
  const collector = new SampleCollector(context);
  const summaries = asItems(data).flatMap((given, index): SummaryReading[] => {
    const { source: _source, ...body } = asItem(given['cycle']);
    const day = textOf(body['period_start']);
    const at = day === null ? null : momentOf(`${day}T00:00:00Z`);
    if (day === null || at === null) {
      collector.faults.push({
        ...createFault(['cycle', 'period_start'], 'expected a date', 'date_format'),
        index,
      });
      return [];
    }
    const origin = originOf(context, given);
    const key = [day, origin.appId].filter(Boolean).join(' ').slice(0, 200);
    return [{ kind: 'summary', resource: 'menstrual_cycle', origin, key, at, day, body, raw: null }];
  });
  return { summaries, samples: [], faults: collector.faults };
}

const MILLIVOLT_TYPE = 'lead_1';

/** Electrocardiograms with their voltages, in millivolts. */
export function toElectrocardiograms(context: PhoneContext, data: unknown): PhoneReadings {
  const collector = new SampleCollector(context);
  const summaries = asItems(data).flatMap((given, index): SummaryReading[] => {
    const item = asItem(given['electrocardiogram']);
    const [from, to] = [momentOf(item['session_start']), momentOf(item['session_end'])];
    const id = textOf(item['id']);
    if (from === null || to === null || id === null) {
      const fault = createFault(
        ['electrocardiogram'],
        'expected an id, session_start and session_end',
        'missing',
      );
      collector.faults.push({ ...fault, index });
      return [];
    }
    const origin = originOf(context, { ...item, product_type: item['product_type'] ?? item['device_model'] });
    const { lead1, lead_1, session_start_offset_millisecond: offsets } = asItem(given['voltage_data']);
    const volts = lead1 ?? lead_1;
    const zone = offsetOf(context.timeZone, from);
    if (Array.isArray(volts) && Array.isArray(offsets))
      for (const [place, value] of volts.entries()) {
        const at = from + (numberOf(offsets[place]) ?? Number.NaN);
        const millivolts = numberOf(value);
        if (millivolts === null || Number.isNaN(at)) continue;
        const sample = { at, until: null, offset: zone, type: MILLIVOLT_TYPE, value: millivolts, more: null };
        collector.put('electrocardiogram_voltage', origin, sample);
      }
    const body = toElectrocardiogramBody(item, { from, to, zone: context.timeZone });
    const day = dayOf(context.timeZone, from);
    const key = id.slice(0, 200);
    return [{ kind: 'summary', resource: 'electrocardiogram', origin, key, at: from, day, body, raw: null }];
  });
  return { summaries, samples: collector.readings(), faults: collector.faults };
}

const toElectrocardiogramBody = (
  item: PhoneItem,
  { from, to, zone }: { from: number; to: number; zone: string | null },
): PhoneItem => ({
  session_start: isoTimestamp(new Date(from)),
  session_end: isoTimestamp(new Date(to)),
  time_zone: zone,
  voltage_sample_count: integerOf(item['voltage_sample_count']) ?? 0,
  sampling_frequency_hz: numberOf(item['sampling_frequency_hz']),
  heart_rate_mean: integerOf(item['heart_rate_mean']),
  classification: textOf(item['classification']),
  inconclusive_cause: textOf(item['inconclusive_cause']),
  algorithm_version: textOf(item['algorithm_version']),
});
