import { expect, vi } from 'vitest';
import { order } from './examples.ts';
import { findLabTestId } from './orders.ts';
import type { TestService, TestTeam } from './service.ts';

interface AccessLogEntryJson {
  readonly id: string;
  readonly kind: string;
  readonly key_id: string;
  readonly operation: string;
  readonly status: number;
  readonly user_id: string | null;
  readonly order_id: string | null;
}

const pathOf = (team: TestTeam, environment = 'sandbox') =>
  `/v1/org/${team.orgId}/team/${team.tenant.teamId}/${environment}`;

const logOf = async (team: TestTeam, query = ''): Promise<AccessLogEntryJson[]> => {
  const answer = await team.management.get(`${pathOf(team)}/access_log${query}`);
  expect(answer.status).toBe(200);
  return answer.json.data;
};

/** Waits, because reads are logged asynchronously. */
const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 50_000, interval: 20 });

/** Accesses, and the access log as an organization reads it. */
export const useAccessLog = (service: TestService) => ({
  pathOf,
  logOf,
  eventually,
  operationsOf: async (team: TestTeam, query = '') =>
    (await logOf(team, query)).map(({ operation }) => operation),
  /** A team with a user and an order, each of which was created and read. */
  teamWithAccesses: async () => {
    const team = await service.team();
    const userId = await team.user('somebody');
    const kit = await findLabTestId(team, 'testkit');
    const orderId = (await team.post('/v3/order', order(userId, kit))).json.order.id;
    await team.get(`/v3/order/${orderId}`);
    await team.get(`/v2/user/${userId}`);
    await eventually(async () => expect(await logOf(team)).toHaveLength(4));
    return { team, userId, orderId };
  },
});
