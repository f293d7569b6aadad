import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { inTenant } from '../../app.ts';
import { resolveLabAccount, type LabAccountSelection } from './lab-accounts.ts';
import { DelegatedFlow, LabAccountStatus, type LabAccount } from './schema.ts';
import { insertLabAccounts, listLabAccounts } from './store.ts';

let accounts: LabAccount[];
const service = useTestService();
const team = useTestTeam(service);
beforeAll(async () => {
  accounts = await inTenant(service.app, team.tenant, (work) => listLabAccounts(work, {}));
});

const resolve = (of: TestTeam, wanted: Partial<LabAccountSelection>) =>
  inTenant(service.app, of.tenant, (work) =>
    resolveLabAccount(work, { labSlug: 'labcorp', billingType: 'client_bill', state: 'NY', ...wanted }),
  );

const account = (labSlug: string, status: string): LabAccount => {
  const one = accounts.find((each) => each.labSlug === labSlug && each.status === status);
  if (!one) throw new Error(`No ${status} account with ${labSlug}`);
  return one;
};

describe('lab accounts', () => {
  it('come with a sandbox team in every status and delegated flow, and not with a production team', async () => {
    expect(new Set(accounts.map(({ status }) => status))).toEqual(new Set(LabAccountStatus.options));
    expect(new Set(accounts.map(({ delegatedFlow }) => delegatedFlow))).toEqual(
      new Set(DelegatedFlow.options),
    );
    expect(accounts.some(({ defaultClinicalNotes }) => defaultClinicalNotes !== null)).toBe(true);
    const production = await service.team('production');
    expect((await production.get('/v3/lab_test/lab_account')).json).toEqual({ data: [] });
  });

  it('are listed with their filters', async () => {
    const { json } = await team.get('/v3/lab_test/lab_account');
    expect(json.data).toHaveLength(accounts.length);
    expect(json.data[0]).toMatchObject({ org_id: team.orgId, team_id_allowlist: [team.tenant.teamId] });
    const pending = await team.get('/v3/lab_test/lab_account?status=pending');
    expect(pending.json.data.length).toBeGreaterThan(0);
    for (const each of pending.json.data) expect(each.status).toBe('pending');
    const one = await team.get(`/v3/lab_test/lab_account?lab_account_id=${json.data[1].id}`);
    expect(one.json.data).toEqual([json.data[1]]);
    const none = await team.get(`/v3/lab_test/lab_account?lab_account_id=${randomUUID()}`);
    expect(none.json.data).toEqual([]);
    expect(await team.get('/v3/lab_test/lab_account?status=asleep')).toMatchObject({ status: 422 });
  });

  it('are hidden from other teams and from the other environment, by the database too', async () => {
    const stranger = await service.team();
    const { id } = account('labcorp', 'active');
    expect((await stranger.get(`/v3/lab_test/lab_account?lab_account_id=${id}`)).json.data).toEqual([]);
    await expect(resolve(stranger, { wantedId: id })).rejects.toMatchObject({ kind: 'not_found' });
    const raw = await inTenant(service.app, stranger.tenant, (work) =>
      work.tx.selectFrom('lab_account').selectAll().where('id', '=', id).execute(),
    );
    expect(raw).toEqual([]);
  });

  it('cannot be opened to a team of another organization', async () => {
    const stranger = await service.team();
    const { id, orgId } = account('labcorp', 'active');
    const tenant = { team_id: stranger.tenant.teamId, environment: 'sandbox' as const };
    for (const org of [orgId, stranger.orgId]) {
      const row = { ...tenant, lab_account_id: id, org_id: org };
      await expect(
        inTenant(service.app, stranger.tenant, (work) =>
          work.tx.insertInto('lab_account_team').values(row).execute(),
        ),
      ).rejects.toThrow(/foreign key/);
    }
  });
});

describe('the account of an order', () => {
  it('is the requested one if it is active and belongs to the lab', async () => {
    const active = account('labcorp', 'active');
    expect(await resolve(team, { wantedId: active.id })).toEqual(active);
    const refused: [Partial<LabAccountSelection>, string][] = [
      [{ wantedId: randomUUID() }, 'Lab account not found'],
      [
        { wantedId: active.id, labSlug: 'quest' },
        `Lab account ${active.id} belongs to labcorp, but the order is for quest`,
      ],
    ];
    for (const status of ['pending', 'suspended', 'ready_to_launch']) {
      const { id, labSlug } = accounts.find((each) => each.status === status) ?? active;
      refused.push([{ wantedId: id, labSlug }, `Lab account ${id} is ${status}, not active`]);
    }
    for (const [wanted, detail] of refused)
      await expect(resolve(team, wanted)).rejects.toMatchObject({ detail });
  });

  it('may be pending for an import', async () => {
    const pending = accounts.find(({ status }) => status === 'pending');
    const wanted = { wantedId: pending?.id, labSlug: pending?.labSlug ?? '', acceptPending: true };
    expect(await resolve(team, wanted)).toEqual(pending);
    const suspended = accounts.find(({ status }) => status === 'suspended');
    const other = { wantedId: suspended?.id, labSlug: suspended?.labSlug ?? '', acceptPending: true };
    await expect(resolve(team, other)).rejects.toMatchObject({ kind: 'bad_request' });
  });

  it('is the platform’s own if the team has no active one', async () => {
    expect(await resolve(team, { labSlug: 'manual' })).toBeUndefined();
    expect(await resolve(await service.team('production'), {})).toBeUndefined();
  });

  it('is the one that accepts the billing in the state, else the oldest', async () => {
    const many = await service.team('production');
    const base = { ...account('quest', 'active'), labSlug: 'crl' as const };
    const [oldest, insured, youngest] = [randomUUID(), randomUUID(), randomUUID()];
    const rows = [
      { ...base, id: oldest, allowedBilling: { client_bill: ['NY', 'NJ'] } },
      { ...base, id: insured, allowedBilling: { commercial_insurance: ['NJ'], client_bill: ['NY'] } },
      { ...base, id: youngest, allowedBilling: {} },
    ];
    for (const row of rows) {
      await inTenant(service.app, many.tenant, (work) => insertLabAccounts(work, [row]));
      service.clock.move(1000);
    }
    const of = async (billingType: string, state: string | null) =>
      (await resolve(many, { labSlug: 'crl', billingType, state }))?.id;
    expect(await of('client_bill', 'NY')).toBe(oldest);
    expect(await of('commercial_insurance', 'NJ')).toBe(insured);
    expect(await of('commercial_insurance', 'NY')).toBe(oldest);
    expect(await of('commercial_insurance', null)).toBe(insured);
    expect(await of('patient_bill', 'NY')).toBe(oldest);
  });
});
