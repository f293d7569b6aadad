import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHouse, type House, type TeamInHand } from '../../test/house.ts';

let house: House;
let team: TeamInHand;

beforeAll(async () => {
  house = await openHouse();
  team = await house.team();
});
afterAll(() => house.close());

const UNKNOWN = '01890000-0000-7000-8000-000000000000';

describe('a user without connections', () => {
  it('has no providers, no devices and nothing to refresh', async () => {
    const id = await team.user();
    expect((await team.get(`/v2/user/providers/${id}`)).json).toEqual({ providers: [] });
    expect((await team.get(`/v2/user/${id}/device`)).json).toEqual([]);
    expect((await team.get(`/v2/user/${id}/device/${UNKNOWN}`)).status).toBe(404);
    expect((await team.post(`/v2/user/refresh/${id}?timeout=7.5`)).json).toEqual({
      success: true,
      user_id: id,
      refreshed_sources: [],
      in_progress_sources: [],
      failed_sources: [],
    });
    expect((await team.delete(`/v2/user/${id}/fitbit`)).status).toBe(404);
    expect((await team.delete(`/v2/user/${id}/sundial`)).status).toBe(422);
    expect((await team.post(`/v2/user/refresh/${id}?timeout=61`)).status).toBe(422);
  });
});
