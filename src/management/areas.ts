import type { Method } from '../platform/http/route.ts';
import { DomainError } from '../platform/errors.ts';

/** The parts of the team API that a key can be kept to. */
export const AREAS = ['users', 'catalog', 'orders', 'results', 'wearables', 'team'] as const;
export type Area = (typeof AREAS)[number];

/** The area of each tag of the team API. A tag without one is closed to keys that are kept to areas. */
// prettier-ignore
const AREA_OF: Readonly<Record<string, Area>> = {
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
  'Team':                    'team',
};

export const areaOf = (tag: string): Area | undefined => AREA_OF[tag];

/** What a team key is limited to. */
export interface Limits {
  readonly readOnly: boolean;
  /** null: all of them. */
  readonly areas: ReadonlySet<string> | null;
}

/** 403 for what the key may not do. */
export function requireAllowed({ readOnly, areas }: Limits, asked: { method: Method; tag: string }): void {
  if (readOnly && asked.method !== 'GET') {
    throw new DomainError('forbidden', 'This API key may only read');
  }
  if (areas === null) return;
  const area = areaOf(asked.tag);
  if (area !== undefined && areas.has(area)) return;
  throw new DomainError('forbidden', `This API key has no access to the area ${area ?? asked.tag}`);
}
