/** What takes a part of a day, in minutes from its midnight. */
interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

type LanedSpan<T> = T & {
  /** From 0, at the left. */
  readonly lane: number;
  /** How many lanes stand side by side where it is. */
  readonly lanes: number;
};

/**
 * Puts what overlaps side by side: each takes the first lane that is free when it begins, and all that overlap, also by
 * others between them, are equally wide.
 */
export function toLanes<T extends TimeSpan>(spans: readonly T[]): LanedSpan<T>[] {
  const sorted = spans.toSorted((a, b) => a.from - b.from || b.to - a.to);
  const groups: { readonly members: (T & { lane: number })[]; readonly ends: number[] }[] = [];
  for (const span of sorted) {
    const open = groups.at(-1);
    const group = open && Math.max(...open.ends) > span.from ? open : { members: [], ends: [] };
    if (group !== open) groups.push(group);
    const free = group.ends.findIndex((end) => end <= span.from);
    const lane = free === -1 ? group.ends.length : free;
    group.ends[lane] = span.to;
    group.members.push({ ...span, lane });
  }
  return groups.flatMap(({ members, ends }) => members.map((one) => ({ ...one, lanes: ends.length })));
}
