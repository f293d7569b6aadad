import { describe, expect, it } from 'vitest';
import { order as orderBody } from '../../test/examples.ts';
import { connectLab, resultText, type TestLabConnection } from '../../test/laboratory.ts';
import { findLabTestId } from '../../test/orders.ts';
import { useTestService, useTestTeam } from '../../test/service-hooks.ts';
import type { TestTeam } from '../../test/service.ts';

const service = useTestService();
const team = useTestTeam(service);

const simulate = (connection: TestLabConnection, body: object, by = team) =>
  by.management.post(`${connection.path}/simulated_message`, body);

const placeOrder = async (by: TestTeam = team) => {
  const placed = await by.post(
    '/v3/order',
    orderBody(await by.user(), await findLabTestId(by, 'walk_in_test')),
  );
  return { id: String(placed.json.order.id), lab: String(placed.json.order.lab_test.lab.slug) };
};

const messagesOf = async ({ path }: TestLabConnection) =>
  (await team.management.get(`${path}/message`)).json.data;

describe('a simulated message of a laboratory', () => {
  it.each([
    ['mllp', 'critical'],
    ['https', 'normal'],
    ['folder', 'abnormal'],
  ])('reports an order by a connection with inbound %s', async (inbound, interpretation) => {
    const { id, lab } = await placeOrder();
    const connection = await connectLab(team, { lab, inbound });
    const sent = await simulate(connection, { order_id: id, interpretation });
    expect(sent, sent.text).toMatchObject({
      status: 200,
      json: { messages: [{ code: 'AA', reason: null }] },
    });
    await service.settle();
    const [message] = await messagesOf(connection);
    expect(message).toMatchObject({
      id: sent.json.messages[0].id,
      direction: 'in',
      way: inbound,
      status: 'taken',
      order_id: id,
    });
    expect((await team.get(`/v3/order/${id}`)).json.status).toBe('completed');
    const result = (await team.get(`/v3/order/${id}/result`)).json;
    expect(result.metadata.interpretation).toBe(interpretation);
  });

  it('is read as it was pasted, and waits for a person if it fits no order', async () => {
    const connection = await connectLab(team);
    const text = resultText(connection, { id: 'PASTED', name: 'Nobody^Known' }).replaceAll('\r', '\n');
    expect((await simulate(connection, { message: text })).json.messages).toMatchObject([
      { control_id: 'PASTED', code: 'AA' },
    ]);
    await service.settle();
    const unmatched = (await team.get('/v3/unmatched_result')).json;
    expect(JSON.stringify(unmatched)).toContain('Nobody');
  });

  it('is answered as the laboratory would be: with the reason why it is refused or unreadable', async () => {
    const connection = await connectLab(team);
    const codes = async (body: object) =>
      (await simulate(connection, body)).json.messages.map(
        ({ code, reason }: { code: string; reason: string }) => [code, reason],
      );
    expect(await codes({ message: resultText(connection).replace(/\rOBR[^\r]*/, '') })).toEqual([
      ['AE', expect.stringMatching(/^Expected an OBR/)],
    ]);
    expect(await codes({ message: resultText({ ...connection, lab_facility: 'OTHER' }) })).toEqual([
      ['AR', expect.stringMatching(/^The parties in MSH-3/)],
    ]);
    expect((await messagesOf(connection)).map(({ status }: { status: string }) => status)).toEqual(['dead']);
  });

  it('is recorded in the audit log', async () => {
    const connection = await connectLab(team);
    await simulate(connection, { message: resultText(connection) });
    const { rows } = await service.ownerPool.query(
      "select after from audit_log where action = 'simulate_lab_message' and subject = $1",
      [connection.id],
    );
    expect(rows).toMatchObject([{ after: { format: 'hl7', environment: 'sandbox' } }]);
  });

  it('is refused with the reason where it makes no sense', async () => {
    const { id, lab } = await placeOrder();
    const other = await connectLab(team, { lab: lab === 'quest' ? 'labcorp' : 'quest' });
    const deaf = await connectLab(team, { inbound: 'none', outbound: 'folder' });
    const stranger = await service.team();
    const foreign = await placeOrder(stranger);
    // prettier-ignore
    const rows: [TestLabConnection, object, number, RegExp][] = [
      [other, {},                            422, /expected either message or order_id/],
      [other, { message: 'x', order_id: id }, 422, /expected either message or order_id/],
      [other, { order_id: id },              400, /is for \w+, but the connection is that of/],
      [other, { order_id: foreign.id },      404, /Order not found/],
      [deaf,  { message: 'MSH|' },           400, /receives no results/],
    ];
    for (const [connection, body, status, text] of rows) {
      const answer = await simulate(connection, body);
      expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(text)]);
    }
    expect((await simulate(other, { message: 'MSH|' }, stranger)).status).toBe(404);
    const production = { ...team, tenant: { ...team.tenant, environment: 'production' as const } };
    const real = await connectLab(production);
    expect((await simulate(real, { message: 'MSH|' })).json.detail).toMatch(/sandbox only/);
  });
});
