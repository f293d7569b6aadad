/** The mean heart rate of each day, as a query. */
export const dailyHeartRate = {
  select: [{ group_key: '*' }, { func: 'mean', arg: { timeseries: 'heartrate', field: 'value' } }],
  group_by: [{ date_trunc: { value: 1, unit: 'day' }, arg: { index: 'timeseries' } }],
};

export const queries = {
  timeframe: { type: 'relative', anchor: '2026-03-02', past: { unit: 'week' } },
  queries: [dailyHeartRate],
};

export const continuousQuery = {
  slug: 'daily-heart-rate',
  title: 'Daily heart rate',
  query: dailyHeartRate,
};
