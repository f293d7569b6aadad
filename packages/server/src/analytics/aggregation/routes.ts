import { z } from 'zod';
import { parquetArchive } from '../../platform/http/file-response.ts';
import type { Http } from '../../platform/http/http.ts';
import { runQueryBatch } from './aggregation.ts';
import { AggregationResponse, QueryBatch } from './schema.ts';
import { writeParquetArchive } from './parquet.ts';
import { toResultTable } from './result-table.ts';

export function aggregationRoutes(http: Http): void {
  http.post('/aggregate/v1/user/:user_id/query', {
    schema: {
      operationId: 'queryUser',
      summary: 'Query a user’s aggregated data',
      description:
        'Returns one table of columns for each query. With ' +
        '`Accept: application/vnd.vital.tar+gzip+parquet`, returns a compressed archive of Parquet files instead: ' +
        '`0.parquet` for the first query. Read-only.',
      tag: 'Wearables',
      params: z.object({ user_id: z.guid() }),
      body: QueryBatch,
      response: { 200: AggregationResponse },
      file: parquetArchive(),
    },
    handler: async ({ work, params, body }) => {
      const answers = await runQueryBatch(work, params.user_id, body);
      return { results: answers.map(({ plan, groups }) => ({ table: toResultTable(plan, groups) })) };
    },
    file: async ({ work, params, body }) => {
      const answers = await runQueryBatch(work, params.user_id, body);
      const tables = answers.map(({ plan, groups }) => ({
        outputs: plan.outputs,
        table: toResultTable(plan, groups),
      }));
      return { name: 'results.tar.gz', render: () => writeParquetArchive(tables) };
    },
  });
}
