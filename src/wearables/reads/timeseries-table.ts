import { z } from 'zod';
import type { SampledResource } from '../readings.ts';
import { hypnogram, TIMESERIES } from '../timeseries/timeseries.ts';
import { nextOfPage } from './cursor.ts';

/** How samples of one resource are read. */
export interface SampledRead {
  readonly resource: SampledResource;
  /** In addresses. */
  readonly path: string;
  /** As people call it. */
  readonly label: string;
  /** Only samples of this type; undefined means all. */
  readonly type: string | undefined;
  readonly sample: z.ZodType;
}

export interface GroupedRead extends SampledRead {
  readonly page: z.ZodType;
}

interface Shapes {
  readonly sample: z.ZodType;
  readonly group: z.ZodType;
  readonly path?: string;
  readonly label?: string;
}

const ALL: Readonly<Record<SampledResource, Shapes>> = { ...TIMESERIES, hypnogram };

/** Every resource, page by page and by source. */
export const GROUPED_READS: readonly GroupedRead[] = (Object.entries(ALL) as [SampledResource, Shapes][]).map(
  ([resource, { sample, group, path, label }]) => ({
    resource,
    path: path ?? resource,
    label: label ?? resource.replaceAll('_', ' '),
    type: undefined,
    sample,
    page: z
      .object({ groups: z.record(z.string(), z.array(group)), ...nextOfPage })
      .meta({ id: `${group.meta()?.id ?? resource}Response` }),
  }),
);

/** What the contract has as one list, too. What came later has pages only. */
// prettier-ignore
const PLAIN = new Set<SampledResource>([
  'calories_active', 'calories_basal', 'blood_pressure', 'blood_oxygen', 'weight', 'fat', 'caffeine', 'cholesterol',
  'distance', 'floors_climbed', 'glucose', 'heartrate', 'hrv', 'hypnogram', 'ige', 'igg', 'mindfulness_minutes',
  'respiratory_rate', 'steps', 'stress_level', 'vo2_max', 'water', 'electrocardiogram_voltage',
]);

/** The kinds of cholesterol that have an address of their own. */
const OF_CHOLESTEROL = ['total', 'ldl', 'hdl', 'triglycerides'];

export const PLAIN_READS: readonly SampledRead[] = GROUPED_READS.filter(({ resource }) =>
  PLAIN.has(resource),
).flatMap((read) => (read.resource === 'cholesterol' ? [read, ...OF_CHOLESTEROL.map(ofType(read))] : [read]));

function ofType(read: SampledRead) {
  return (type: string): SampledRead => ({
    ...read,
    type,
    path: `${read.path}/${type}`,
    label: `${read.label}, ${type}`,
  });
}
