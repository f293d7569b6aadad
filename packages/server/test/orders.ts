import { order } from './examples.ts';
import type { ApiClient, TestTeam } from './service.ts';

/** The id of the team's first lab test with a collection method. */
export const findLabTest = async (team: ApiClient, method: string): Promise<string> =>
  (await team.get(`/v3/lab_tests?collection_method=${method}`)).json[0].id;

/** Creates an order of a new user, or of `user_id`; returns its id. `change` replaces fields of the request. */
export async function createOrder(
  team: TestTeam,
  method = 'walk_in_test',
  change: { readonly user_id?: string; readonly [field: string]: unknown } = {},
): Promise<string> {
  const userId = change.user_id ?? (await team.user());
  const answer = await team.post('/v3/order', { ...order(userId, await findLabTest(team, method)), ...change });
  if (answer.status !== 200) throw new Error(`No order: ${answer.text}`);
  return answer.json.order.id;
}

/** Simulates an order to a status. */
export async function simulateOrder(
  team: ApiClient,
  id: string,
  { to, ...flags }: { readonly to: string; readonly [flag: string]: unknown },
): Promise<void> {
  const answer = await team.post(`/v3/order/${id}/test?final_status=${to}`, flags);
  if (answer.status !== 200) throw new Error(`Not simulated: ${answer.text}`);
}
