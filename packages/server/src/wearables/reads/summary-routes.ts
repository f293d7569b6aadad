import { z } from 'zod';
import type { Http } from '../../platform/http/http.ts';
import { Profile } from '../../readings/readings.ts';
import { listRawDevices } from './devices.ts';
import { RawDevice, RawProfile } from './raw-schema.ts';
import { readSummaryList, readProfile, readRawSummaryList, readRawProfile } from './read-summaries.ts';
import { readSleepStreamList } from './streams.ts';
import { SUMMARY_ENDPOINTS, type SummaryEndpoint } from './summary-table.ts';

const tag = 'Summaries';
// The view of a summary depends on its resource, which the compiler cannot track.
const ProfileResponse: z.ZodType = Profile;
const UserId = z.object({ user_id: z.guid() });
const provider = z.string().max(100).default('');
const ProviderQuery = z.object({ provider });
const createQuerySchema = ({ date }: SummaryEndpoint) =>
  z.object({ start_date: date, end_date: date.nullish(), provider });

export function summaryRoutes(http: Http): void {
  for (const read of SUMMARY_ENDPOINTS) {
    listRoute(http, read);
    if (read.raw) rawRoute(http, read, read.raw);
  }
  sleepStreamRoute(http);
  profileRoutes(http);
  rawDeviceRoute(http);
}

function listRoute(http: Http, read: SummaryEndpoint): void {
  http.get(`/v2/summary/${read.path}/:user_id`, {
    opensToUsers: true,
    schema: {
      operationId: `get${toPascalCase(read)}Summaries`,
      summary: `List summaries: ${read.label}`,
      tag,
      params: UserId,
      query: createQuerySchema(read),
      response: { 200: read.answer },
    },
    handler: ({ work, params, query }) => readSummaryList(work, read, { userId: params.user_id, query }),
  });
}

function rawRoute(http: Http, read: SummaryEndpoint, response: z.ZodType): void {
  http.get(`/v2/summary/${read.path}/:user_id/raw`, {
    opensToUsers: true,
    schema: {
      operationId: `get${toPascalCase(read)}Raw`,
      summary: `List raw summaries: ${read.label}`,
      tag,
      params: UserId,
      query: createQuerySchema(read),
      response: { 200: response },
    },
    handler: ({ work, params, query }) => readRawSummaryList(work, read, { userId: params.user_id, query }),
  });
}

/** Called by the mobile SDKs, and not in the contract. */
function sleepStreamRoute(http: Http): void {
  const sleep = requireEndpoint('sleep');
  http.get('/v2/summary/sleep/:user_id/stream', {
    opensToUsers: true,
    schema: {
      operationId: 'getSleepSummariesWithStreams',
      summary: 'List sleep summaries with their streams',
      description:
        'Extension, as the mobile SDKs call it. The response of `GET /v2/summary/sleep/{user_id}`, with the samples ' +
        'of each sleep in `sleep_stream`. At most 400 sleeps and 50,000 samples; a longer period is a 422.',
      tag,
      params: UserId,
      query: createQuerySchema(sleep),
      response: { 200: sleep.answer },
    },
    handler: ({ work, params, query }) => readSleepStreamList(work, { userId: params.user_id, query }),
  });
}

function requireEndpoint(resource: SummaryEndpoint['resource']): SummaryEndpoint {
  const found = SUMMARY_ENDPOINTS.find((endpoint) => endpoint.resource === resource);
  if (!found) throw new Error(`No summary endpoint for ${resource}`);
  return found;
}

const toPascalCase = ({ path }: SummaryEndpoint): string =>
  path.replace(/(?:^|_)(\w)/g, (_all, letter: string) => letter.toUpperCase());

function profileRoutes(http: Http): void {
  http.get('/v2/summary/profile/:user_id', {
    opensToUsers: true,
    schema: {
      operationId: 'getProfile',
      summary: 'Get the latest profile of a user',
      tag,
      params: UserId,
      query: ProviderQuery,
      response: { 200: ProfileResponse },
    },
    handler: ({ work, params, query }) => readProfile(work, { userId: params.user_id, query }),
  });
  http.get('/v2/summary/profile/:user_id/raw', {
    opensToUsers: true,
    schema: {
      operationId: 'getProfileRaw',
      summary: 'Get the raw latest profile of a user',
      tag,
      params: UserId,
      query: ProviderQuery,
      response: { 200: z.object({ profile: RawProfile }).meta({ id: 'RawProfile' }) },
    },
    handler: ({ work, params, query }) => readRawProfile(work, { userId: params.user_id, query }),
  });
}

function rawDeviceRoute(http: Http): void {
  http.get('/v2/summary/devices/:user_id/raw', {
    schema: {
      operationId: 'getDevicesRaw',
      summary: 'List raw devices of a user',
      tag,
      params: UserId,
      query: ProviderQuery,
      response: { 200: z.object({ devices: z.array(RawDevice) }).meta({ id: 'RawDevicesResponse' }) },
    },
    handler: ({ work, params, query }) => listRawDevices(work, { userId: params.user_id, query }),
  });
}
