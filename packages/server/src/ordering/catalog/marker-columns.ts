import type { Selectable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import type {} from './table.ts';

/** The columns of a marker that its laboratory decides, for reads, the shipped catalog and imports. */
export const MARKER_COLUMNS = [
  'lab_id',
  'slug',
  'name',
  'description',
  'provider_id',
  'type',
  'unit',
  'price',
  'aoe',
  'expected_results',
  'a_la_carte_enabled',
  'is_orderable',
  'common_tat_days',
  'worst_case_tat_days',
] as const satisfies readonly (keyof Selectable<Database['marker']>)[];
