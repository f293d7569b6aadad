import type { MarkerRow } from './import-store.ts';

/** Who has which number. A result has one number at its laboratory, whichever marker brings it. */
export interface Numbering {
  /** The marker with this code, if the laboratory has it. */
  marker(labId: number, code: string): MarkerRow | undefined;
  /** The number of the result with this code, a new one if the laboratory has none. */
  result(labId: number, code: string): number;
  take(): number;
}

export function ids(markers: readonly MarkerRow[], take: () => number): Numbering {
  const byCode = new Map<string, MarkerRow>();
  const results = new Map<string, number>();
  for (const marker of markers) {
    const key = `${marker.lab_id} ${marker.provider_id}`;
    const known = byCode.get(key);
    // One that is still in use is meant before one that has left the catalogue.
    if (!known || (known.retired_at !== null && marker.retired_at === null)) byCode.set(key, marker);
    for (const { providerId, id } of marker.expected_results)
      results.set(`${marker.lab_id} ${providerId}`, id);
  }
  return {
    marker: (labId, code) => byCode.get(`${labId} ${code}`),
    result(labId, code) {
      const key = `${labId} ${code}`;
      const id = results.get(key) ?? take();
      results.set(key, id);
      return id;
    },
    take,
  };
}
