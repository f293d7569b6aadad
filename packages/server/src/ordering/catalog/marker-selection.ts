import { DomainError } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { listSelectedMarkers, type LabMarker, type MarkerSelector } from './marker-store.ts';

/** The marker identifiers of a request. */
interface MarkerIdentifiers {
  readonly markerIds?: readonly number[] | null | undefined;
  readonly providerIds?: readonly string[] | null | undefined;
}

const badRequest = (detail: string) => new DomainError('bad_request', detail);

/** Without duplicates, by ids or by codes; 400 for both or neither. `place` names the field in the error. */
export function parseMarkerSelector(named: MarkerIdentifiers, place: string): MarkerSelector {
  const markerIds = [...new Set(named.markerIds)];
  const providerIds = [...new Set(named.providerIds)];
  if (markerIds.length > 0 === providerIds.length > 0) {
    throw badRequest(`${place} takes exactly one of marker_ids and provider_ids`);
  }
  return markerIds.length > 0 ? { markerIds } : { providerIds };
}

/** The selected markers, all of one laboratory: `wantedLab` if given. 404 if one is missing, 400 for several labs. */
export async function selectMarkersOfOneLab(
  work: Work,
  named: MarkerSelector,
  wantedLab: string | null | undefined,
): Promise<LabMarker[]> {
  const everywhere = await listSelectedMarkers(work, named);
  const chosen = 'markerIds' in named ? everywhere : narrowToOneLab(everywhere, named.providerIds, wantedLab);
  requireAllFound(named, chosen, wantedLab);
  const labSlug = wantedLab ?? chosen[0]?.lab.slug;
  for (const { lab, marker } of chosen) {
    if (lab.slug !== labSlug)
      throw badRequest(`Marker ${marker.id} (${marker.name}) belongs to ${lab.slug}, not ${labSlug}`);
  }
  return chosen;
}

/** Codes are unique per laboratory only: take the wanted laboratory, or the only one that has all codes. */
function narrowToOneLab(
  found: readonly LabMarker[],
  providerIds: readonly string[],
  wanted: string | null | undefined,
): LabMarker[] {
  if (wanted) return found.filter(({ lab }) => lab.slug === wanted);
  const labs = [...new Set(found.map(({ lab }) => lab.slug))];
  const complete = labs.filter(
    (slug) => found.filter(({ lab }) => lab.slug === slug).length === providerIds.length,
  );
  if (complete.length > 1) {
    throw badRequest(`provider_ids match several labs (${complete.join(', ')}): set lab_account_id`);
  }
  return found.filter(({ lab }) => lab.slug === complete[0]);
}

function requireAllFound(
  named: MarkerSelector,
  chosen: readonly LabMarker[],
  lab: string | null | undefined,
): void {
  const wanted: readonly (number | string)[] = 'markerIds' in named ? named.markerIds : named.providerIds;
  const there = new Set<unknown>(
    chosen.map(({ marker }) => ('markerIds' in named ? marker.id : marker.providerId)),
  );
  const missing = wanted.filter((each) => !there.has(each));
  if (missing.length === 0) return;
  const where = 'markerIds' in named || !lab ? '' : ` at ${lab}`;
  throw new DomainError('not_found', `Marker not found${where}: ${missing.join(', ')}`);
}

/** 400 for a marker that cannot be ordered; with `alone`, also for one that cannot be ordered a la carte. */
export function requireOrderable({ marker }: LabMarker, { alone }: { alone: boolean }): void {
  const name = `Marker ${marker.id} (${marker.name})`;
  if (!marker.isOrderable) throw badRequest(`${name} cannot be ordered`);
  if (alone && !marker.aLaCarteEnabled) throw badRequest(`${name} cannot be ordered a la carte`);
}
