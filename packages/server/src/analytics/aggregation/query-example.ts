/** Four weeks of sleep by week. Explicit, because an example generated from nested unions would be meaningless. */
export const QUERY_BATCH_EXAMPLE = {
  timeframe: { type: 'relative', anchor: '2026-03-01', past: { value: 4, unit: 'week' } },
  queries: [
    {
      select: [{ group_key: '*' }, { func: 'mean', arg: { sleep: 'efficiency' } }],
      group_by: [{ date_trunc: { value: 1, unit: 'week' }, arg: { index: 'sleep' } }],
      where: "type = 'long_sleep'",
    },
  ],
} as const;
