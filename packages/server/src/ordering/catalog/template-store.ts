import type { z } from 'zod';
import type { Work } from '../../platform/work.ts';
import type { CatalogTemplateKind } from './table.ts';

/** The templates for new tenants of one kind, in the order of the catalog files. */
export async function listTemplates<S extends z.ZodType>(
  { tx }: Work,
  kind: CatalogTemplateKind,
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
