import { z } from 'zod';
import { type SampledResource, hypnogram, TIMESERIES } from '../../readings/readings.ts';
import { nextPageFields } from './cursor.ts';

/** The read endpoint of one timeseries resource. */
export interface TimeseriesEndpoint {
  readonly resource: SampledResource;
  /** The resource in the URL. */
  readonly path: string;
  /** Human-readable name. */
  readonly label: string;
  /** Only samples of this type; all if undefined. */
  readonly type: string | undefined;
  readonly sample: z.ZodType;
}

export interface GroupedTimeseriesEndpoint extends TimeseriesEndpoint {
  readonly page: z.ZodType;
}

interface TimeseriesSchemas {
  readonly sample: z.ZodType;
  readonly group: z.ZodType;
  readonly path?: string;
  readonly label?: string;
}

const ALL_TIMESERIES: Readonly<Record<SampledResource, TimeseriesSchemas>> = { ...TIMESERIES, hypnogram };

/** Every resource, paginated and grouped by source. */
export const GROUPED_ENDPOINTS: readonly GroupedTimeseriesEndpoint[] = (
  Object.entries(ALL_TIMESERIES) as [SampledResource, TimeseriesSchemas][]
).map(([resource, { sample, group, path, label }]) => ({
  resource,
  path: path ?? resource,
  label: label ?? resource.replaceAll('_', ' '),
  type: undefined,
  sample,
  page: z
    .object({ groups: z.record(z.string(), z.array(group)), ...nextPageFields })
    .meta({ id: `${group.meta()?.id ?? resource}Response` }),
}));

/** Resources with an unpaginated list in the contract. Newer resources have only pages. */
// prettier-ignore
const LIST_RESOURCES = new Set<SampledResource>([
  'calories_active', 'calories_basal', 'blood_pressure', 'blood_oxygen', 'weight', 'fat', 'caffeine', 'cholesterol',
  'distance', 'floors_climbed', 'glucose', 'heartrate', 'hrv', 'hypnogram', 'ige', 'igg', 'mindfulness_minutes',
  'respiratory_rate', 'steps', 'stress_level', 'vo2_max', 'water', 'electrocardiogram_voltage',
]);

/** The cholesterol types with a URL of their own. */
const CHOLESTEROL_TYPES = ['total', 'ldl', 'hdl', 'triglycerides'];

export const LIST_ENDPOINTS: readonly TimeseriesEndpoint[] = GROUPED_ENDPOINTS.filter(({ resource }) =>
  LIST_RESOURCES.has(resource),
).flatMap((read) =>
  read.resource === 'cholesterol' ? [read, ...CHOLESTEROL_TYPES.map(withType(read))] : [read],
);

function withType(read: TimeseriesEndpoint) {
  return (type: string): TimeseriesEndpoint => ({
    ...read,
    type,
    path: `${read.path}/${type}`,
    label: `${read.label}, ${type}`,
  });
}
