import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openTestService, type TestService } from '../../../test/service.ts';
import { bootstrap } from './bootstrap.ts';

const houses: TestService[] = [];
afterEach(async () => {
  for (const service of houses.splice(0)) await service.close();
});

async function empty(settings: Record<string, string> = {}): Promise<TestService> {
  const service = await openTestService(settings);
  houses.push(service);
  return service;
}

const fileOf = (service: TestService) => join(service.app.config.DATA_DIR, 'credentials.json');
const count = async (service: TestService, table: string) =>
  Number((await service.ownerPool.query(`select count(*) as n from ${table}`)).rows[0].n);

describe('the first start', () => {
  it('creates one organization, one team and two working keys, in a file that only its owner can read', async () => {
    const service = await empty();
    const credentials = await bootstrap(service.app);
    expect(JSON.parse(await readFile(fileOf(service), 'utf8'))).toEqual(credentials);
    expect((await stat(fileOf(service))).mode & 0o777).toBe(0o600);
    const team = service.client({ 'x-service-api-key': credentials?.team_api_key ?? '' });
    expect((await team.get(`/v2/team/${credentials?.team_id}`)).status).toBe(200);
    const management = service.client({ 'x-management-key': credentials?.management_key ?? '' });
    expect((await management.get(`/v1/org/${credentials?.org_id}`)).status).toBe(200);
  });

  it('happens once when nodes start concurrently', async () => {
    const service = await empty();
    const made = await Promise.all([1, 2, 3, 4].map(() => bootstrap(service.app)));
    const first = made.filter((credentials) => credentials !== undefined);
    expect(first).toHaveLength(1);
    expect(JSON.parse(await readFile(fileOf(service), 'utf8'))).toEqual(first[0]);
    expect([await count(service, 'organization'), await count(service, 'team')]).toEqual([1, 1]);
    expect(await bootstrap(service.app)).toBeUndefined();
  });

  it('uses the configured keys', async () => {
    const keys = { team: 'sk_us_given0123456789abcdef', management: 'mg_given0123456789abcdef' };
    const service = await empty({
      BOOTSTRAP_TEAM_API_KEY: keys.team,
      BOOTSTRAP_MANAGEMENT_KEY: keys.management,
    });
    expect(await bootstrap(service.app)).toMatchObject({
      team_api_key: keys.team,
      management_key: keys.management,
    });
    const { json } = await service.client({ 'x-service-api-key': keys.team }).get('/v2/user');
    expect(json.total).toBe(0);
  });

  it('leaves the database empty when the credentials cannot be written, so that a retry succeeds', async () => {
    const service = await empty();
    const config = { ...service.app.config, DATA_DIR: '/dev/null/nowhere' };
    await expect(bootstrap({ ...service.app, config })).rejects.toThrow(/ENOTDIR/);
    expect(await count(service, 'organization')).toBe(0);
    expect(await bootstrap(service.app)).toMatchObject({ environment: 'sandbox' });
  });
});
