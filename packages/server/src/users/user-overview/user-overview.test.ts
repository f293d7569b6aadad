import { describe, expect, it } from 'vitest';
import { order, patient } from '../../../test/examples.ts';
import { findLabTestId } from '../../../test/orders.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';

const service = useTestService();
const team = useTestTeam(service);

const NOTHING = {
  has_demographics: false,
  has_primary_insurance: false,
  has_secondary_insurance: false,
  has_orders: false,
  has_results: false,
  has_lab_reports: false,
  has_connections: false,
};

describe('the overview of a user', () => {
  it('says what there is, as it comes', async () => {
    const userId = await team.user();
    const read = async () => (await team.get(`/v1/user/${userId}/overview`)).json;
    expect(await read()).toEqual({ user_id: userId, ...NOTHING });
    const labTest = await findLabTestId(team, 'testkit');
    const placed = await team.post('/v3/order', order(userId, labTest));
    expect(await read()).toMatchObject({ has_orders: true, has_results: false });
    await team.post(`/v3/order/${placed.json.order.id}/test`);
    await team.post('/v2/link/connect/demo', { user_id: userId, provider: 'oura' });
    const info = await team.patch(`/v2/user/${userId}/info`, {
      ...patient,
      address: { first_line: '1 Main Street', city: 'Phoenix', state: 'AZ', zip: '85004', country: 'US' },
    });
    expect(info.status, info.text).toBe(200);
    expect(await read()).toEqual({
      user_id: userId,
      ...NOTHING,
      has_demographics: true,
      has_orders: true,
      has_results: true,
      has_connections: true,
    });
  });

  it('is 404 for another team, and for a deleted user', async () => {
    const userId = await team.user();
    const path = `/v1/user/${userId}/overview`;
    expect((await (await service.team()).get(path)).status).toBe(404);
    await team.delete(`/v2/user/${userId}`);
    expect((await team.get(path)).status).toBe(404);
  });
});
