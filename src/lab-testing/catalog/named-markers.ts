import { DomainError } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { listMarkersNamed, type LabMarker, type NamedMarkers } from './marker-store.ts';

/** Markers as a caller names them. */
export interface Named {
  readonly markerIds?: readonly number[] | null | undefined;
  readonly providerIds?: readonly string[] | null | undefined;
}

const refused = (detail: string) => new DomainError('bad_request', detail);

/** Each named once, by ids or by codes; a 400 for both or neither. `place` is what takes them. */
export function namedMarkers(named: Named, place: string): NamedMarkers {
  const markerIds = [...new Set(named.markerIds)];
  const providerIds = [...new Set(named.providerIds)];
  if (markerIds.length > 0 === providerIds.length > 0) {
    throw refused(`${place} takes exactly one of marker_ids and provider_ids`);
  }
  return markerIds.length > 0 ? { markerIds } : { providerIds };
}

/** The named markers: all there, all of one laboratory, which is the wanted one if there is one. 404 or 400. */
export async function markersOfOneLab(
  work: Work,
  named: NamedMarkers,
  wantedLab: string | null | undefined,
): Promise<LabMarker[]> {
  const everywhere = await listMarkersNamed(work, named);
  const chosen = 'markerIds' in named ? everywhere : ofOneLab(everywhere, named.providerIds, wantedLab);
  requireAll(named, chosen, wantedLab);
  const labSlug = wantedLab ?? chosen[0]?.lab.slug;
  for (const { lab, marker } of chosen) {
    if (lab.slug !== labSlug)
      throw refused(`Marker ${marker.id} (${marker.name}) is of ${lab.slug}, not of ${labSlug}`);
  }
  return chosen;
}

/** A laboratory's code means something only at that laboratory: the wanted one, or the only one that has them all. */
function ofOneLab(
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
    throw refused(`provider_ids are known to several labs (${complete.join(', ')}): name a lab_account_id`);
  }
  return found.filter(({ lab }) => lab.slug === complete[0]);
}

function requireAll(named: NamedMarkers, chosen: readonly LabMarker[], lab: string | null | undefined): void {
  const wanted: readonly (number | string)[] = 'markerIds' in named ? named.markerIds : named.providerIds;
  const there = new Set<unknown>(
    chosen.map(({ marker }) => ('markerIds' in named ? marker.id : marker.providerId)),
  );
  const missing = wanted.filter((each) => !there.has(each));
  if (missing.length === 0) return;
  const where = 'markerIds' in named || !lab ? '' : ` at ${lab}`;
  throw new DomainError('not_found', `Marker not found${where}: ${missing.join(', ')}`);
}

/** A 400 for a marker that cannot be ordered, or not `alone`: some are sold as a part of something else only. */
export function requireOrderable({ marker }: LabMarker, { alone }: { alone: boolean }): void {
  const name = `Marker ${marker.id} (${marker.name})`;
  if (!marker.isOrderable) throw refused(`${name} cannot be ordered`);
  if (alone && !marker.aLaCarteEnabled) throw refused(`${name} cannot be ordered a la carte`);
}
