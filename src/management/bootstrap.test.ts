import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openHouse, type House } from '../../test/house.ts';
import { bootstrap } from './bootstrap.ts';

const houses: House[] = [];
afterEach(async () => {
  for (const house of houses.splice(0)) await house.close();
});

async function empty(settings: Record<string, string> = {}): Promise<House> {
  const house = await openHouse(settings);
  houses.push(house);
  return house;
}

const fileOf = (house: House) => join(house.app.config.DATA_DIR, 'credentials.json');
const count = async (house: House, table: string) =>
  Number((await house.owner.query(`select count(*) as n from ${table}`)).rows[0].n);

describe('the first start', () => {
  it('makes one organization, one team and two keys that work, and keeps them for their owner only', async () => {
    const house = await empty();
    const credentials = await bootstrap(house.app);
    expect(JSON.parse(await readFile(fileOf(house), 'utf8'))).toEqual(credentials);
    expect((await stat(fileOf(house))).mode & 0o777).toBe(0o600);
    const team = house.caller({ 'x-service-api-key': credentials?.team_api_key ?? '' });
    expect((await team.get(`/v2/team/${credentials?.team_id}`)).status).toBe(200);
    const management = house.caller({ 'x-management-key': credentials?.management_key ?? '' });
    expect((await management.get(`/v1/org/${credentials?.org_id}`)).status).toBe(200);
  });

  it('makes them once, however many nodes start at once', async () => {
    const house = await empty();
    const made = await Promise.all([1, 2, 3, 4].map(() => bootstrap(house.app)));
    const first = made.filter((credentials) => credentials !== undefined);
    expect(first).toHaveLength(1);
    expect(JSON.parse(await readFile(fileOf(house), 'utf8'))).toEqual(first[0]);
    expect([await count(house, 'organization'), await count(house, 'team')]).toEqual([1, 1]);
    expect(await bootstrap(house.app)).toBeUndefined();
  });

  it('takes the keys that it is given', async () => {
    const keys = { team: 'sk_us_given0123456789abcdef', management: 'mg_given0123456789abcdef' };
    const house = await empty({
      BOOTSTRAP_TEAM_API_KEY: keys.team,
      BOOTSTRAP_MANAGEMENT_KEY: keys.management,
    });
    expect(await bootstrap(house.app)).toMatchObject({
      team_api_key: keys.team,
      management_key: keys.management,
    });
    const { json } = await house.caller({ 'x-service-api-key': keys.team }).get('/v2/user');
    expect(json.total).toBe(0);
  });

  it('leaves an empty database behind when the credentials cannot be written, so that the next one succeeds', async () => {
    const house = await empty();
    const config = { ...house.app.config, DATA_DIR: '/dev/null/nowhere' };
    await expect(bootstrap({ ...house.app, config })).rejects.toThrow(/ENOTDIR/);
    expect(await count(house, 'organization')).toBe(0);
    expect(await bootstrap(house.app)).toMatchObject({ environment: 'sandbox' });
  });
});
