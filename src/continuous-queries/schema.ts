import { z } from 'zod';

/** What changed in the result table of one query. */
export const ResultTableChanges = z
  .object({
    query_id: z.guid(),
    query_slug: z.string(),
    data: z.record(z.string(), z.array(z.unknown())).describe('The columns of the changed rows, by name.'),
  })
  .meta({ id: 'ContinuousQueryResultTableChanges' });
