import { z } from 'zod';
import { Moment, PROVIDERS } from '../source.ts';
import { nextOfPage, nextPage } from './cursor.ts';

const USERS_MAX = 500;

export const ResourcesQuery = z.object({
  user_id: z.guid().nullish(),
  provider: z.enum(PROVIDERS).nullish(),
  user_limit: z.int().min(1).max(USERS_MAX).default(50),
  ...nextPage,
});
export type ResourcesQuery = z.output<typeof ResourcesQuery>;

const LastAttempt = z
  .object({ timestamp: Moment, status: z.enum(['success', 'failure']).meta({ id: 'AttemptStatus' }) })
  .meta({ id: 'LastAttempt' });

/** What there is of one resource from one provider. */
const Statistics = z
  .object({
    last_attempt: LastAttempt.nullable(),
    oldest_data: Moment.nullable(),
    newest_data: Moment.nullable(),
    sent_count: z.int().nullable(),
  })
  .meta({ id: 'SingleResourceStatistics' });
export type Statistics = z.output<typeof Statistics>;

const OfUser = z
  .object({
    user_id: z.guid(),
    provider: z.record(z.string(), z.record(z.string(), Statistics)).describe('By provider and resource.'),
  })
  .meta({ id: 'SingleUserResourceResponse' });

export const UserResources = z
  .object({ data: z.array(OfUser), ...nextOfPage })
  .meta({ id: 'UserResourcesResponse' });
