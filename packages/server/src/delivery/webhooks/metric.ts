import { z } from 'zod';
import { DAY, HOUR, MINUTE } from '../../platform/clock.ts';
import type { Work } from '../../platform/work.ts';
import { listTally, type TallyRow } from './tally-store.ts';

export const INTERVALS = ['5m', '15m', '1h', '1d'] as const;
type MetricInterval = (typeof INTERVALS)[number];

/** The step and the window of each interval: 30 to 289 points per series. Attempts are counted for 30 days. */
// prettier-ignore
const WINDOWS: Record<MetricInterval, { stepMs: number; windowMs: number }> = {
  '5m':  { stepMs: 5 * MINUTE,  windowMs: DAY },
  '15m': { stepMs: 15 * MINUTE, windowMs: 3 * DAY },
  '1h':  { stepMs: HOUR,        windowMs: 7 * DAY },
  '1d':  { stepMs: DAY,         windowMs: 30 * DAY },
};

export const WINDOWS_DESCRIPTION =
  'One series for each event type, endpoint and outcome (success or failure of an attempt). A value is at the ' +
  'start of its step. 5m covers 24 hours, 15m 3 days, 1h 7 days, 1d 30 days. Test messages are not counted.';

const Point = z.tuple([z.int(), z.string()]);

export const MetricView = z
  .object({
    status: z.literal('success'),
    data: z
      .object({
        resultType: z.literal('matrix'),
        result: z.array(
          z
            .object({ metric: z.record(z.string(), z.string()), values: z.array(Point) })
            .meta({ id: 'PrometheusQueryResult' }),
        ),
      })
      .meta({ id: 'PrometheusQueryData' }),
  })
  .meta({ id: 'PrometheusQueryResponse' });

/** The numbers of successful and failed attempts per step, up to the current one. Steps without attempts have 0. */
export async function readMetric(work: Work, interval: MetricInterval): Promise<z.input<typeof MetricView>> {
  const { stepMs, windowMs } = WINDOWS[interval];
  const last = Math.floor(work.now.getTime() / stepMs) * stepMs;
  const from = last - windowMs + (windowMs === 30 * DAY ? stepMs : 0);
  const steps = Array.from(
    { length: (last - from) / stepMs + 1 },
    (_, index) => (from + index * stepMs) / 1000,
  );
  const rows = await listTally(work, { from: new Date(from), stepSeconds: stepMs / 1000 });
  const result = groupBySeries(rows).flatMap((ofOne) => seriesOf(ofOne, steps));
  return { status: 'success', data: { resultType: 'matrix', result } };
}

function groupBySeries(rows: readonly TallyRow[]): TallyRow[][] {
  const groups = new Map<string, TallyRow[]>();
  for (const row of rows) {
    const name = `${row.endpoint_id}/${row.event_type}`;
    groups.set(name, [...(groups.get(name) ?? []), row]);
  }
  return [...groups.values()];
}

const OUTCOMES = [
  { outcome: 'success', countOf: (row: TallyRow) => row.succeeded },
  { outcome: 'failure', countOf: (row: TallyRow) => row.failed },
];

/** An outcome that never occurred has no series. */
function seriesOf(rows: readonly TallyRow[], steps: readonly number[]) {
  return OUTCOMES.flatMap(({ outcome, countOf }) => {
    const counts = new Map(rows.map((row) => [row.at, countOf(row)]));
    const [first] = rows;
    if (!first || ![...counts.values()].some((count) => count > 0)) return [];
    const { event_type, endpoint_id } = first;
    const values = steps.map((at): [number, string] => [at, String(counts.get(at) ?? 0)]);
    return [{ metric: { event_type, endpoint_id, outcome }, values }];
  });
}
