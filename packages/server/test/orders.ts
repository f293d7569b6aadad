import { order } from './examples.ts';
import type { ApiClient, TestTeam } from './service.ts';

/** The id of the team's first lab test with a collection method. */
export const findLabTestId = async (team: ApiClient, method: string): Promise<string> =>
  (await team.get(`/v3/lab_tests?collection_method=${method}`)).json[0].id;

/** Creates an order of a new user; returns its id. `change` replaces fields of the request, such as `user_id`. */
export async function createOrder(
  team: TestTeam,
  method = 'walk_in_test',
  change: object = {},
): Promise<string> {
  const userId = 'user_id' in change ? '' : await team.user();
  const body = { ...order(userId, await findLabTestId(team, method)), ...change };
  const answer = await team.post('/v3/order', body);
  if (answer.status !== 200) throw new Error(`No order: ${answer.text}`);
  return answer.json.order.id;
}

/** Simulates an order to a status. */
export async function simulateOrder(
  team: ApiClient,
  id: string,
  status: string,
  flags: object = {},
): Promise<void> {
  const answer = await team.post(`/v3/order/${id}/test?final_status=${status}`, flags);
  if (answer.status !== 200) throw new Error(`Not simulated: ${answer.text}`);
}
