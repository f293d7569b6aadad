import { z } from 'zod';
import type { Http } from '../../platform/http/http.ts';
import { Profile } from '../summaries/body.ts';
import { listRawDevices } from './devices.ts';
import { RawDevice, RawProfile } from './raw-schema.ts';
import { readList, readProfile, readRawList, readRawProfile } from './summaries-of.ts';
import { SUMMARY_READS, type SummaryRead } from './summary-table.ts';

const tag = 'Summaries';
// Summaries are viewed by their resource, of which the compiler does not know the fields.
const Answered: z.ZodType = Profile;
const UserId = z.object({ user_id: z.guid() });
const provider = z.string().max(100).default('');
const OfProvider = z.object({ provider });
const queryOf = ({ date }: SummaryRead) => z.object({ start_date: date, end_date: date.nullish(), provider });

export function summaryRoutes(http: Http): void {
  for (const read of SUMMARY_READS) {
    listRoute(http, read);
    if (read.raw) rawRoute(http, read, read.raw);
  }
  profileRoutes(http);
  rawDeviceRoute(http);
}

function listRoute(http: Http, read: SummaryRead): void {
  http.get(`/v2/summary/${read.path}/:user_id`, {
    schema: {
      operationId: `get${named(read)}Summaries`,
      summary: `Read summaries: ${read.label}`,
      tag,
      params: UserId,
      query: queryOf(read),
      response: { 200: read.answer },
    },
    handler: ({ work, params, query }) => readList(work, read, { userId: params.user_id, query }),
  });
}

function rawRoute(http: Http, read: SummaryRead, response: z.ZodType): void {
  http.get(`/v2/summary/${read.path}/:user_id/raw`, {
    schema: {
      operationId: `get${named(read)}Raw`,
      summary: `Read what providers sent: ${read.label}`,
      tag,
      params: UserId,
      query: queryOf(read),
      response: { 200: response },
    },
    handler: ({ work, params, query }) => readRawList(work, read, { userId: params.user_id, query }),
  });
}

const named = ({ path }: SummaryRead): string =>
  path.replace(/(?:^|_)(\w)/g, (_all, letter: string) => letter.toUpperCase());

function profileRoutes(http: Http): void {
  http.get('/v2/summary/profile/:user_id', {
    schema: {
      operationId: 'getProfile',
      summary: 'Read the profile that changed last',
      tag,
      params: UserId,
      query: OfProvider,
      response: { 200: Answered },
    },
    handler: ({ work, params, query }) => readProfile(work, { userId: params.user_id, query }),
  });
  http.get('/v2/summary/profile/:user_id/raw', {
    schema: {
      operationId: 'getProfileRaw',
      summary: 'Read what the provider sent of the profile that changed last',
      tag,
      params: UserId,
      query: OfProvider,
      response: { 200: z.object({ profile: RawProfile }).meta({ id: 'RawProfile' }) },
    },
    handler: ({ work, params, query }) => readRawProfile(work, { userId: params.user_id, query }),
  });
}

function rawDeviceRoute(http: Http): void {
  http.get('/v2/summary/devices/:user_id/raw', {
    schema: {
      operationId: 'getDevicesRaw',
      summary: 'Read what providers said of devices',
      tag,
      params: UserId,
      query: OfProvider,
      response: { 200: z.object({ devices: z.array(RawDevice) }).meta({ id: 'RawDevicesResponse' }) },
    },
    handler: ({ work, params, query }) => listRawDevices(work, { userId: params.user_id, query }),
  });
}
