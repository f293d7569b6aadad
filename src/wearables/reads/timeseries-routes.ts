import { z } from 'zod';
import type { Http } from '../../platform/http/http.ts';
import { nextPage } from './cursor.ts';
import { When } from './period.ts';
import { readList, readPage } from './samples-of.ts';
import { GROUPED_READS, PLAIN_READS, type GroupedRead, type SampledRead } from './timeseries-table.ts';

const tag = 'Timeseries';
const UserId = z.object({ user_id: z.guid() });

const samplesQuery = {
  start_date: When,
  end_date: When.nullish(),
  provider: z.string().max(100).default(''),
};
const ListQuery = z.object(samplesQuery);
const PageQuery = z.object({ ...samplesQuery, ...nextPage });

/** Every resource by pages, and those that the contract has as lists, too. */
export function timeseriesRoutes(http: Http): void {
  for (const read of GROUPED_READS) groupedRoute(http, read);
  for (const read of PLAIN_READS) plainRoute(http, read);
}

function groupedRoute(http: Http, read: GroupedRead): void {
  http.get(`/v2/timeseries/:user_id/${read.path}/grouped`, {
    schema: {
      operationId: `get${pascal(read.path)}Grouped`,
      summary: `Read samples by source: ${read.label}`,
      tag,
      params: UserId,
      query: PageQuery,
      response: { 200: read.page },
    },
    handler: ({ work, params, query }) => readPage(work, read, { userId: params.user_id, query }),
  });
}

function plainRoute(http: Http, read: SampledRead): void {
  http.get(`/v2/timeseries/:user_id/${read.path}`, {
    schema: {
      operationId: `get${pascal(read.path)}`,
      summary: `Read samples: ${read.label}`,
      deprecated: true,
      tag,
      params: UserId,
      query: ListQuery,
      response: { 200: z.array(read.sample) },
    },
    handler: ({ work, params, query }) => readList(work, read, { userId: params.user_id, query }),
  });
}

/** `cholesterol/ldl` is `CholesterolLdl`. */
const pascal = (path: string): string =>
  path.replace(/(?:^|[_/])(\w)/g, (_all, letter: string) => letter.toUpperCase());
