import type { z } from 'zod';
import type { Work } from '../../platform/work.ts';
import type {} from './table.ts';

/** What a new tenant is given of a kind, as the catalogue's files have it, in their order. */
export async function listTemplates<S extends z.ZodType>(
  { tx }: Work,
  kind: 'lab_test' | 'lab_account',
  shape: S,
): Promise<z.output<S>[]> {
  const rows = await tx
    .selectFrom('catalog_template')
    .select('body')
    .where('kind', '=', kind)
    .orderBy('position')
    .execute();
  return rows.map(({ body }) => shape.parse(body));
}
