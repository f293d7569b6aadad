import type { z } from 'zod';
import { SUMMARIES, type SummaryName } from './summaries/summaries.ts';
import { TIMESERIES, type TimeseriesName } from './timeseries/timeseries.ts';

export type ResourceName = SummaryName | TimeseriesName;

/** A resource, as its event types need it. */
export interface WearableResource {
  readonly kind: 'summary' | 'timeseries';
  /** Human-readable name. */
  readonly label: string;
  /** The event payload: a whole summary, or samples of one source. */
  readonly data: z.ZodType;
}

type ResourceTable = { readonly [N in ResourceName]: WearableResource };

/** Every resource with events, summaries first. */
export const RESOURCES: ResourceTable = {
  ...toResources(SUMMARIES, ({ view, label }) => ({ kind: 'summary', label, data: view })),
  ...toResources(TIMESERIES, (row, name) => ({
    kind: 'timeseries',
    label: 'label' in row ? row.label : name.replaceAll('_', ' '),
    data: row.told,
  })),
};

function toResources<N extends string, R>(
  table: Readonly<Record<N, R>>,
  resourceOf: (row: R, name: N) => WearableResource,
): Record<N, WearableResource> {
  const entries = Object.entries(table) as [N, R][];
  return Object.fromEntries(entries.map(([name, row]) => [name, resourceOf(row, name)])) as Record<
    N,
    WearableResource
  >;
}
