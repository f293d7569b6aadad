import type { z } from 'zod';
import { SUMMARIES, type SummaryName } from './summaries/summaries.ts';
import { TIMESERIES, type TimeseriesName } from './timeseries/timeseries.ts';

export type ResourceName = SummaryName | TimeseriesName;

/** What the events of a resource need to know of it. */
export interface Resource {
  readonly kind: 'summary' | 'timeseries';
  /** As people call it. */
  readonly label: string;
  /** A whole summary, or samples of one source. */
  readonly data: z.ZodType;
}

type Rows = { readonly [N in ResourceName]: Resource };

/** Every resource that events tell of, summaries first. */
export const RESOURCES: Rows = {
  ...rows(SUMMARIES, ({ view, label }) => ({ kind: 'summary', label, data: view })),
  ...rows(TIMESERIES, (row, name) => ({
    kind: 'timeseries',
    label: 'label' in row ? row.label : name.replaceAll('_', ' '),
    data: row.told,
  })),
};

function rows<N extends string, R>(
  table: Readonly<Record<N, R>>,
  resourceOf: (row: R, name: N) => Resource,
): Record<N, Resource> {
  const entries = Object.entries(table) as [N, R][];
  return Object.fromEntries(entries.map(([name, row]) => [name, resourceOf(row, name)])) as Record<
    N,
    Resource
  >;
}
