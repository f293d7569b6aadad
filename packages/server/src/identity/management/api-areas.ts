import type { Method } from '../../platform/http/route.ts';
import { DomainError } from '../../platform/errors.ts';

/** The parts of the team API to which a key can be restricted. */
export const API_AREAS = ['users', 'catalog', 'orders', 'results', 'wearables', 'events', 'team'] as const;
export type ApiArea = (typeof API_AREAS)[number];

/** The area of each tag of the team API. Keys that are restricted to areas have no access to a tag without one. */
// prettier-ignore
const AREA_BY_TAG: Readonly<Record<string, ApiArea>> = {
  'Users':                   'users',
  'Insurance':               'users',
  'Lab tests':               'catalog',
  'Compendium':              'catalog',
  'Orders':                  'orders',
  'Appointments':            'orders',
  'Patient service centers': 'orders',
  'Order transactions':      'orders',
  'Documents':               'orders',
  'Results':                 'results',
  'Critical results':        'results',
  'Unmatched results':       'results',
  'Lab reports':             'results',
  'Wearables':               'wearables',
  'Link':                    'wearables',
  'Summaries':               'wearables',
  'Timeseries':              'wearables',
  'Webhooks':                'events',
  'Team':                    'team',
};

export const areaOfTag = (tag: string): ApiArea | undefined => AREA_BY_TAG[tag];

/** Operations that every key may call, whatever its areas are. */
export const OPERATIONS_OF_EVERY_AREA: ReadonlySet<string> = new Set(['getOwnCredential']);

/** What a team key may do. */
export interface KeyPermissions {
  readonly readOnly: boolean;
  /** null: all areas. */
  readonly areas: ReadonlySet<string> | null;
}

/** Whether the key may read what operations with this tag return. */
export function mayReadTag({ areas }: KeyPermissions, tag: string): boolean {
  const area = areaOfTag(tag);
  return area !== undefined && (areas === null || areas.has(area));
}

interface AskedOperation {
  readonly method: Method;
  readonly tag: string;
  readonly operation?: string;
  readonly grantsTag?: string | undefined;
}

/** 403 for a request that the key does not permit, after a call of `beforeRefusal`. */
export function requirePermission(
  permissions: KeyPermissions,
  asked: AskedOperation,
  beforeRefusal?: () => void,
): void {
  const refusal = findRefusal(permissions, asked);
  if (refusal === undefined) return;
  beforeRefusal?.();
  throw new DomainError('forbidden', refusal);
}

function findRefusal({ readOnly, areas }: KeyPermissions, asked: AskedOperation): string | undefined {
  if (readOnly && asked.method !== 'GET') return 'This API key is read-only: it permits only GET requests';
  if (areas === null || OPERATIONS_OF_EVERY_AREA.has(asked.operation ?? '')) return undefined;
  for (const tag of [asked.tag, asked.grantsTag ?? asked.tag]) {
    const area = areaOfTag(tag);
    if (area === undefined || !areas.has(area))
      return `This API key has no access to the area ${area ?? tag}`;
  }
  return undefined;
}
