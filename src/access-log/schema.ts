import { z } from 'zod';
import { isoMoment } from '../platform/clock.ts';
import { GivenMoment } from '../platform/given-moments.ts';
import { ENVIRONMENTS } from '../platform/tenant.ts';
import type { AccessRow } from './store.ts';
import { PRINCIPAL_KINDS } from './table.ts';

const Moment = z.iso.datetime({ offset: true });

export const TenantPath = z.object({
  org_id: z.guid(),
  team_id: z.guid(),
  environment: z.enum(ENVIRONMENTS),
});

export const AccessQuery = z.object({
  key_id: z.string().min(1).max(200).nullish().describe('The id of a key, a token or an opening.'),
  operation: z.string().min(1).max(200).nullish().describe('The operationId, as `getResult`.'),
  user_id: z.guid().nullish(),
  order_id: z.guid().nullish(),
  from: GivenMoment.nullish().describe('From this moment on.'),
  to: GivenMoment.nullish().describe('Before this moment.'),
  next_cursor: z.string().max(200).nullish(),
  limit: z.int().min(1).max(500).default(100),
});

export const AccessView = z
  .object({
    id: z.string().describe('Its place in the log.'),
    at: Moment.describe('On the clock of the service.'),
    kind: z.enum(PRINCIPAL_KINDS),
    key_id: z.string().describe('Of the key, the token, the opening, or the user whose app it was.'),
    operation: z.string(),
    method: z.string(),
    status: z.int(),
    user_id: z.uuid().nullable(),
    order_id: z.uuid().nullable(),
    other_ids: z.record(z.string(), z.string()).describe('The other ids of the path.'),
    address: z.string(),
    request_id: z.string(),
  })
  .meta({ id: 'AccessLogEntry' });

export const AccessList = z.object({ data: z.array(AccessView), next_cursor: z.string().nullable() });

export const viewAccess = (row: AccessRow): z.input<typeof AccessView> => ({
  id: String(row.place),
  at: isoMoment(row.at),
  kind: row.kind,
  key_id: row.key_id,
  operation: row.operation,
  method: row.method,
  status: row.status,
  user_id: row.about_user,
  order_id: row.about_order,
  other_ids: row.about ?? {},
  address: row.address,
  request_id: row.request_id,
});
