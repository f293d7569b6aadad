/** An exact event type, or a prefix that ends in `.*`. */
export const FILTER_TYPE = /^[a-z][a-z0-9_]*((\.[a-z0-9_]+)+|(\.[a-z0-9_]+)*\.\*)$/;

/** Whether an endpoint wants events of this type; no filter wants everything. */
export function wants(filter: readonly string[] | null, type: string): boolean {
  if (filter === null || filter.length === 0) return true;
  return filter.some((entry) =>
    entry.endsWith('.*') ? type.startsWith(entry.slice(0, -1)) : type === entry,
  );
}
