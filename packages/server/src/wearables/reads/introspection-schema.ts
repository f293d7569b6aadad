import { z } from 'zod';
import { PROVIDERS } from '../../readings/schema.ts';
import { nextPageFields, pageQueryFields } from './cursor.ts';
import { Timestamp } from '../../platform/timestamp.ts';

const USERS_MAX = 500;

export const ResourcesQuery = z.object({
  user_id: z.guid().nullish(),
  provider: z.enum(PROVIDERS).nullish(),
  user_limit: z.int().min(1).max(USERS_MAX).default(50),
  ...pageQueryFields,
});
export type ResourcesQuery = z.output<typeof ResourcesQuery>;

const LastAttempt = z
  .object({ timestamp: Timestamp, status: z.enum(['success', 'failure']).meta({ id: 'AttemptStatus' }) })
  .meta({ id: 'LastAttempt' });

/** The available data of one resource from one provider. */
const ResourceStatistics = z
  .object({
    last_attempt: LastAttempt.nullable(),
    oldest_data: Timestamp.nullable(),
    newest_data: Timestamp.nullable(),
    sent_count: z.int().nullable(),
  })
  .meta({ id: 'SingleResourceStatistics' });
export type ResourceStatistics = z.output<typeof ResourceStatistics>;

const UserResourceView = z
  .object({
    user_id: z.guid(),
    provider: z
      .record(z.string(), z.record(z.string(), ResourceStatistics))
      .describe('By provider and resource.'),
  })
  .meta({ id: 'SingleUserResourceResponse' });

export const UserResourcesPage = z
  .object({ data: z.array(UserResourceView), ...nextPageFields })
  .meta({ id: 'UserResourcesResponse' });
