import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { order, patient } from '../../../test/examples.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import type { TestTeam } from '../../../test/service.ts';
import { inTenant } from '../../app.ts';
import { insertRow } from '../../platform/db/insert-row.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import { defer } from '../../platform/work.ts';
import { indexNames } from './index-names.ts';
import { NAME_SEAL_CONTEXT, nameId, nameTokens, suffixToken } from './names.ts';

const service = useTestService();
const MIGRATION = new URL('../../../migrations/0102_folded_names.sql', import.meta.url);

const place = async (team: TestTeam, lastName: string): Promise<string> => {
  const [test] = (await team.get('/v3/lab_tests?collection_method=testkit')).json;
  const body = order(await team.user(), test.id);
  const { status, json } = await team.post('/v3/order', {
    ...body,
    patient_details: { ...patient, first_name: 'Zoë', last_name: lastName },
  });
  expect(status).toBe(200);
  return json.order.id;
};

/** Gives the order the index of a version that kept diacritics. */
async function indexUnfolded(team: TestTeam, orderId: string, key: string): Promise<string> {
  const id = await inTenant(service.app, team.tenant, async (work) => {
    const row = {
      ...tenantColumns(work.tenant),
      id: nameId(work.cipher, key),
      name: work.cipher.seal(key, NAME_SEAL_CONTEXT),
      ...nameTokens(work.cipher, key),
      created_at: work.now,
    };
    defer(work, insertRow('order_name', row));
    return row.id;
  });
  await service.ownerPool.query('update lab_order set patient_name_id = $1 where id = $2', [id, orderId]);
  return id;
}

const isStored = async (nameIdOfKey: string): Promise<boolean> =>
  (await service.ownerPool.query('select from order_name where id = $1', [nameIdOfKey])).rows.length > 0;

it('indexes names again that were stored with their diacritics', async () => {
  const team = await service.team();
  const [id, other] = [await place(team, 'Ångström'), await place(team, 'Plain')];
  const earlier = await indexUnfolded(team, id, 'zoë ångström');
  const find = async (name: string) => {
    const { json } = await team.get(`/v3/orders?patient_name=${encodeURIComponent(name)}`);
    return json.orders.map((one: { id: string }) => one.id);
  };
  /** The names that a laboratory's report about `ANGSTROM` is compared with. */
  const namesakes = () =>
    inTenant(service.app, team.tenant, async (work) => {
      const { rows } = await service.ownerPool.query(
        `select n.name from order_name_token t join order_name n on n.id = t.name_id and n.team_id = t.team_id
         where t.team_id = $1 and t.token = $2`,
        [team.tenant.teamId, suffixToken(work.cipher, 'angstrom')],
      );
      return rows.map(({ name }) => work.cipher.open(name, NAME_SEAL_CONTEXT));
    });
  expect([await find('angstrom'), await namesakes(), await isStored(earlier)]).toEqual([[], [], true]);

  await service.ownerPool.query(await readFile(MIGRATION, 'utf8'));
  while (await indexNames(service.app));

  expect([await find('angstrom'), await find('Zoë Ångström')]).toEqual([[id], [id]]);
  expect(await namesakes()).toEqual(['zoe angstrom']);
  expect(await find('plain')).toEqual([other]);
  // The earlier form of the name is gone with its last order.
  expect(await isStored(earlier)).toBe(false);
});
