import { describe, expect, it } from 'vitest';
import { copyOrders } from '../../../test/copied-orders.ts';
import { createOrder, findLabTestId } from '../../../test/orders.ts';
import { patient } from '../../../test/examples.ts';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';

const service = useTestService();
const EXPORT = '/v1/orders/export';

/** The lines without their end; cells without commas and quotes. */
const linesOf = (text: string): string[][] =>
  text
    .split('\r\n')
    .slice(0, -1)
    .map((line) => line.split(','));

async function teamWithCopies(count: number): Promise<TestTeam> {
  const team = await service.team();
  const orderId = await createOrder(team);
  const cipher = await service.app.keyring.cipherOf(team.tenant);
  const client = await service.ownerPool.connect();
  await copyOrders(client, { orderId, count, cipher }).finally(() => client.release());
  await service.ownerPool.query('analyze lab_order, order_name, order_name_token, app_user');
  return team;
}

describe('the export of orders', () => {
  it('is CSV with one line for each order, oldest first', async () => {
    const team = await service.team();
    const first = await createOrder(team, 'testkit');
    service.clock.move(1000);
    const second = await createOrder(team);
    const { status, headers, text } = await team.get(EXPORT);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/csv',
      'content-disposition': 'attachment; filename="orders.csv"',
    });
    const [columns = [], ...orders] = linesOf(text);
    expect(columns.slice(0, 5)).toEqual(['id', 'created_at', 'updated_at', 'status', 'order_type']);
    expect(orders.map(([id]) => id)).toEqual([first, second]);
    const cell = (name: string) => orders[0]?.[columns.indexOf(name)];
    expect(cell('patient_name')).toBe('Ada Lovelace');
    expect(cell('status')).toMatch(/^received\.testkit\./);
    expect(cell('lab_test_id')).toBe(await findLabTestId(team, 'testkit'));
  });

  it('quotes what has commas and quotes, and disarms formulas', async () => {
    const team = await service.team();
    const userId = await team.user('=HYPERLINK("http://x"),1');
    await createOrder(team, 'testkit', {
      user_id: userId,
      lab_test_id: await findLabTestId(team, 'testkit'),
      patient_details: { ...patient, first_name: 'Ada' },
    });
    await service.ownerPool.query(`update app_user set client_user_id = $2 where team_id = $1`, [
      team.tenant.teamId,
      '=HYPERLINK("http://x"),1',
    ]);
    const { text } = await team.get(EXPORT);
    expect(text).toContain(`,"'=HYPERLINK(""http://x""),1",`);
  });

  it('has every order once, whatever the number, also where many were created at one time', async () => {
    const team = await teamWithCopies(3000);
    await service.ownerPool.query(
      `update lab_order set created_at = '2025-05-05T05:05:05Z' where team_id = $1 and created_at < '2025-09-01'`,
      [team.tenant.teamId],
    );
    const ids = linesOf((await team.get(EXPORT)).text)
      .slice(1)
      .map(([id]) => id);
    const { rows } = await service.ownerPool.query<{ id: string }>(
      `select o.id from lab_order o where o.team_id = $1 and o.listed order by o.created_at, o.id`,
      [team.tenant.teamId],
    );
    expect(rows.length).toBeGreaterThan(2500);
    expect(ids).toEqual(rows.map(({ id }) => id));
  });

  it.each([
    'status=lost',
    'patient_name=lovelace',
    'order_type=testkit&start_date=2025-01-01',
    'end_date=2025-06-01',
  ])('has the orders of the list with the filter %s', async (query) => {
    const team = await teamWithCopies(700);
    const list = await team.get(`/v3/orders?${query}&order_direction=asc&size=500`);
    const exported = linesOf((await team.get(`${EXPORT}?${query}`)).text).slice(1);
    expect(exported.length).toBeGreaterThan(0);
    expect(exported.slice(0, 500).map(([id]) => id)).toEqual(
      list.json.orders.map(({ id }: { id: string }) => id),
    );
  });

  it('answers errors before the first line as JSON', async () => {
    const team = await service.team();
    expect((await team.get(`${EXPORT}?status=nowhere`)).status).toBe(422);
    expect((await team.get(`${EXPORT}?status=lost`)).text.split('\r\n')).toHaveLength(2);
  });

  it('has no order of another team, and is written to the access log', async () => {
    const [team, other] = [await service.team(), await service.team()];
    await createOrder(other);
    expect(linesOf((await team.get(EXPORT)).text)).toHaveLength(1);
    const path = `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/access_log?operation=exportOrders`;
    await expect.poll(async () => (await team.management.get(path)).json.data.length).toBe(1);
  });
});
