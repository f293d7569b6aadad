import { z } from 'zod';
import { parquetArchive } from '../platform/http/file-answer.ts';
import type { Http } from '../platform/http/http.ts';
import { answerBatch } from './aggregation.ts';
import { QueryAnswer, QueryBatch } from './schema.ts';
import { parquetFile } from './parquet.ts';
import { resultTable } from './result-table.ts';

/** What is asked of the data of one user, all at once. */
export function aggregationRoutes(http: Http): void {
  http.post('/aggregate/v1/user/:user_id/query', {
    schema: {
      operationId: 'queryUser',
      summary: 'Ask for aggregates of the data of a user',
      description:
        'Tables of columns, one for each query. As an archive of Parquet files, `0.parquet` for the first query, ' +
        'where `Accept` asks for it. Nothing is changed.',
      tag: 'Wearables',
      params: z.object({ user_id: z.guid() }),
      body: QueryBatch,
      response: { 200: QueryAnswer },
      file: parquetArchive(),
    },
    handler: async ({ work, params, body }) => {
      const answers = await answerBatch(work, params.user_id, body);
      return { results: answers.map(({ plan, groups }) => ({ table: resultTable(plan, groups) })) };
    },
    file: async ({ work, params, body }) => {
      const answers = await answerBatch(work, params.user_id, body);
      const tables = answers.map(({ plan, groups }) => ({
        outputs: plan.outputs,
        table: resultTable(plan, groups),
      }));
      return { name: 'results.tar.gz', draw: () => parquetFile(tables) };
    },
  });
}
