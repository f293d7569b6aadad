import { z } from 'zod';
import type { Http } from '../../platform/http/http.ts';
import { pageQueryFields } from './cursor.ts';
import { DateOrTimestamp } from './period.ts';
import { readSampleList, readSamplePage } from './read-samples.ts';
import {
  GROUPED_ENDPOINTS,
  LIST_ENDPOINTS,
  type GroupedTimeseriesEndpoint,
  type TimeseriesEndpoint,
} from './timeseries-table.ts';

const tag = 'Timeseries';
const UserId = z.object({ user_id: z.guid() });

const samplesQuery = {
  start_date: DateOrTimestamp,
  end_date: DateOrTimestamp.nullish(),
  provider: z.string().max(100).default(''),
};
const SampleListQuery = z.object(samplesQuery);
const SamplePageQuery = z.object({ ...samplesQuery, ...pageQueryFields });

/** A paginated route for every resource, and an unpaginated one where the contract has it. */
export function timeseriesRoutes(http: Http): void {
  for (const read of GROUPED_ENDPOINTS) groupedRoute(http, read);
  for (const read of LIST_ENDPOINTS) listRoute(http, read);
}

function groupedRoute(http: Http, read: GroupedTimeseriesEndpoint): void {
  http.get(`/v2/timeseries/:user_id/${read.path}/grouped`, {
    opensToUsers: true,
    schema: {
      operationId: `get${toPascalCase(read.path)}Grouped`,
      summary: `List samples by source: ${read.label}`,
      tag,
      params: UserId,
      query: SamplePageQuery,
      response: { 200: read.page },
    },
    handler: ({ work, params, query }) => readSamplePage(work, read, { userId: params.user_id, query }),
  });
}

function listRoute(http: Http, read: TimeseriesEndpoint): void {
  http.get(`/v2/timeseries/:user_id/${read.path}`, {
    opensToUsers: true,
    schema: {
      operationId: `get${toPascalCase(read.path)}`,
      summary: `List samples: ${read.label}`,
      deprecated: true,
      tag,
      params: UserId,
      query: SampleListQuery,
      response: { 200: z.array(read.sample) },
    },
    handler: ({ work, params, query }) => readSampleList(work, read, { userId: params.user_id, query }),
  });
}

/** `cholesterol/ldl` becomes `CholesterolLdl`. */
const toPascalCase = (path: string): string =>
  path.replace(/(?:^|[_/])(\w)/g, (_all, letter: string) => letter.toUpperCase());
