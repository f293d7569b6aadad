import { beforeEach, describe, expect, it } from 'vitest';
import { order } from '../../../test/examples.ts';
import { findLabTestId } from '../../../test/orders.ts';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import type { LabNetwork } from '../../adapters/lab-network/port.ts';
import { countLockWaiters } from '../../../test/locks.ts';
import { inTenant } from '../../app.ts';
import { DAY, later, MINUTE } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import { advanceOrder, getOrder } from './orders.ts';
import { requestRequisition } from './request-requisition.ts';
import { hasOrder } from './row-store.ts';
import { scheduleWithdrawals } from './withdraw-on-erasure.ts';

const physicians = [{ first_name: 'Mary', last_name: 'Putnam', npi: '1003000126', licensed_states: [] }];

let team: TestTeam;
let withdrawn: string[];
/** How often the laboratory does not hear what is withdrawn. */
let deaf: number;
const service = useTestService({ PHYSICIANS: JSON.stringify(physicians) });
beforeEach(async () => {
  team = await service.team('production');
  withdrawn = [];
  deaf = 0;
  connect(laboratory);
});

/** One of another kind than those that are asked by HL7: it keeps no message of ours. */
const laboratory: LabNetwork = {
  requestTests: async ({ orderId }) => ({ sampleId: `S-${orderId.slice(-12)}` }),
  cancelTests: async ({ orderId }) => {
    deaf -= 1;
    if (deaf >= 0) throw new DomainError('unavailable', 'The line is dead');
    withdrawn.push(orderId);
  },
  reports: async () => [],
};

const connect = (production: LabNetwork | undefined) =>
  Object.assign(service.app, { labNetworks: { ...service.app.labNetworks, production } });

async function place() {
  const userId = await team.user();
  const testId = await findLabTestId(team, 'walk_in_test');
  const placed = await team.post('/v3/order', order(userId, testId));
  if (placed.status !== 200) throw new Error(placed.text);
  await service.settle();
  return { userId, id: placed.json.order.id as string };
}

async function pass(milliseconds: number): Promise<void> {
  service.clock.move(milliseconds);
  await service.settle();
}

async function erase(userId: string): Promise<void> {
  await team.delete(`/v2/user/${userId}`);
  await pass(7 * DAY);
}

describe('the order of a user who is erased', () => {
  it('is withdrawn at its laboratory, with retries until it is confirmed', async () => {
    const { userId, id } = await place();
    deaf = 2;
    await erase(userId);
    await pass(5 * MINUTE);
    expect(withdrawn).toEqual([]);
    await pass(MINUTE);
    await pass(5 * MINUTE);
    expect(withdrawn).toEqual([id]);
    await pass(DAY);
    expect(withdrawn).toEqual([id]);
  });

  it('is withdrawn if the process died between request and write', async () => {
    connect(undefined);
    const { userId, id } = await place();
    // Asked by somebody who comes to no end.
    let isAsked = () => {};
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    const dying: LabNetwork = {
      ...laboratory,
      requestTests: () => {
        isAsked();
        return new Promise(() => {});
      },
    };
    const dead = { ...service.app, labNetworks: { ...service.app.labNetworks, production: dying } };
    void requestRequisition.run(dead, team.tenant, { order_id: id, tries: 0 });
    await asked;
    await erase(userId);
    connect(laboratory);
    await pass(5 * MINUTE);
    expect(withdrawn).toContain(id);
  });

  it('is withdrawn within minutes even if it was checked during the erasure', async () => {
    connect(undefined);
    const { userId, id } = await place();
    await team.delete(`/v2/user/${userId}`);
    let commit = () => {};
    const held = new Promise<void>((resolve) => (commit = resolve));
    let isWritten = false;
    const erasing = inTenant(service.app, team.tenant, async (work) => {
      await scheduleWithdrawals(service.app, work, userId);
      // The timer is written with the next statement.
      isWritten = await hasOrder(work, id);
      await held;
    });
    await expect.poll(() => isWritten).toBe(true);
    let hasLooked = false;
    const looking = requestRequisition
      .run(service.app, team.tenant, { order_id: id, tries: 0, lab: 'labcorp' })
      .then(() => (hasLooked = true));
    await expect.poll(async () => hasLooked || (await countLockWaiters(service)) > 0).toBe(true);
    commit();
    await Promise.all([erasing, looking]);
    const { rows } = await service.ownerPool.query('select due_at from timer where key = $1', [id]);
    expect(rows).toEqual([{ due_at: later(service.clock.now(), 5 * MINUTE) }]);
    connect(laboratory);
    await pass(7 * DAY);
    await pass(5 * MINUTE);
    expect(withdrawn).toContain(id);
  });

  it('is withdrawn if its cancellation was still pending', async () => {
    const { userId, id } = await place();
    deaf = 3;
    await team.post(`/v3/order/${id}/cancel`);
    await service.settle();
    // Nobody else goes on telling it.
    await service.ownerPool.query('delete from timer where key = $1', [id]);
    deaf = 0;
    await erase(userId);
    await pass(5 * MINUTE);
    expect(withdrawn).toEqual([id]);
  });

  it('stays with its laboratory if it can no longer be cancelled', async () => {
    const { userId, id } = await place();
    await inTenant(service.app, team.tenant, async (work) =>
      advanceOrder(work, await getOrder(work, id), { to: 'partial_results' }),
    );
    await erase(userId);
    await pass(DAY);
    expect(withdrawn).toEqual([]);
  });

  it('is retried for a month', async () => {
    const { userId } = await place();
    deaf = 1000;
    await erase(userId);
    for (let quarters = 0; quarters < 31 * 4; quarters += 1) await pass(DAY / 4);
    expect(1000 - deaf).toBe(121);
    // What were still to be told would be told now.
    await pass(9 * DAY);
    expect(1000 - deaf).toBe(121);
  });
});
