import type { MarkerRow } from './import-store.ts';

/** Keeps the ids of existing rows. A result code has one id per laboratory, shared by all of its markers. */
export interface CatalogIdAllocator {
  /** The existing marker with this code. */
  findMarker(labId: number, code: string): MarkerRow | undefined;
  /** The id of the result with this code; a new one if the laboratory has none. */
  resultId(labId: number, code: string): number;
  allocate(): number;
}

export function createIdAllocator(markers: readonly MarkerRow[], take: () => number): CatalogIdAllocator {
  const byCode = new Map<string, MarkerRow>();
  const results = new Map<string, number>();
  for (const marker of markers) {
    const key = `${marker.lab_id} ${marker.provider_id}`;
    const known = byCode.get(key);
    // An active marker takes precedence over a retired one.
    if (!known || (known.retired_at !== null && marker.retired_at === null)) byCode.set(key, marker);
    for (const { providerId, id } of marker.expected_results)
      results.set(`${marker.lab_id} ${providerId}`, id);
  }
  return {
    findMarker: (labId, code) => byCode.get(`${labId} ${code}`),
    resultId(labId, code) {
      const key = `${labId} ${code}`;
      const id = results.get(key) ?? take();
      results.set(key, id);
      return id;
    },
    allocate: take,
  };
}
