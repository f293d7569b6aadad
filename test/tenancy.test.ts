import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inTenant } from '../src/app.ts';
import { openHouse, type House } from './house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

/** Tables that belong to the service or to an organization, each with the reason why it is no tenant's. */
// prettier-ignore
const NO_TENANT: Record<string, string> = {
  kysely_migration:      'which migrations were done',
  kysely_migration_lock: 'which migrations were done',
  organization:          'above teams',
  team:                  'above environments',
  api_key:               'looked up before the tenant is known',
  management_key:        'of an organization',
  management_key_team:   'of an organization',
  audit_log:             'of an organization',
  lab:                   'the catalogue is everybody’s',
  marker:                'the catalogue is everybody’s',
  catalog_template:      'the catalogue is everybody’s',
  catalog_load:          'the catalogue is everybody’s',
  catalog_version:       'the catalogue is everybody’s',
  courier_inbox:         'news of a parcel that nobody knows; of no tenant and no person',
  lab_unclaimed_message: 'what came by the laboratory listener and belongs to no connection; sealed with a key of the deployment',
  organization_member:   'of an organization',
  organization_invite:   'of an organization',
  organization_domain:   'of an organization',
  ehr_configuration:     'of an organization',
  ehr_member:            'of an organization',
  audit_head:            'of an organization: the end of its audit chain',
  psc_site:              'where laboratories take samples: everybody’s, like the catalogue',
  psc_site_load:         'which made sites are loaded',
  webhook_lease:         'which messages each sender has taken, by their ids alone; of no tenant and no person',
  lab_account:           'of an organization; a policy lets a tenant see those that it is allowed',
};

interface TableRow {
  name: string;
  rls: boolean;
  forced: boolean;
  owner: string;
  tenant_columns: number;
  key: string[];
}

const tables = async (): Promise<TableRow[]> =>
  (
    await house.owner.query(`
    select c.relname as name, c.relrowsecurity as rls, c.relforcerowsecurity as forced,
      pg_get_userbyid(c.relowner) as owner,
      (select count(*)::int from pg_attribute a where a.attrelid = c.oid and a.attnotnull
        and a.attname in ('team_id', 'environment')) as tenant_columns,
      array(select a.attname::text from pg_index i, unnest(i.indkey) with ordinality as k(att, place)
        join pg_attribute a on a.attrelid = c.oid and a.attnum = k.att
        where i.indrelid = c.oid and i.indisprimary order by k.place) as key
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind = 'r' order by 1`)
  ).rows;

describe('every table', () => {
  it('belongs to a tenant, or says why not', async () => {
    const loose = (await tables()).filter(({ name }) => !(name in NO_TENANT));
    expect(loose.length).toBeGreaterThan(10);
    for (const table of loose) {
      expect(table).toMatchObject({ rls: true, forced: true, tenant_columns: 2 });
      expect(table.key.slice(0, 2), table.name).toEqual(['team_id', 'environment']);
      expect(table.owner).not.toBe('aliquot_tenant');
    }
  });

  it('has foreign keys that begin with the tenant columns when both sides are a tenant’s', async () => {
    const { rows } = await house.owner.query(`
      select c.conrelid::regclass::text as from_table, c.confrelid::regclass::text as to_table,
        array(select a.attname::text from unnest(c.conkey) with ordinality as k(att, place)
          join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.att order by k.place) as columns
      from pg_constraint c where c.contype = 'f' and c.connamespace = 'public'::regnamespace`);
    const between = rows.filter(({ from_table: a, to_table: b }) => !(a in NO_TENANT) && !(b in NO_TENANT));
    expect(between.length).toBeGreaterThan(5);
    for (const key of between)
      expect(key.columns.slice(0, 2), key.from_table).toEqual(['team_id', 'environment']);
  });

  it('shows a tenant nothing of another, even to a query that forgets to ask for its own', async () => {
    const one = await house.team();
    const other = await house.team();
    await one.user();
    const names = (await tables()).map(({ name }) => name).filter((name) => !(name in NO_TENANT));
    await inTenant(house.app, other.tenant, async ({ tx }) => {
      for (const name of names) {
        if (name === 'tenant_key') continue;
        const rows = await tx
          .selectFrom(name as 'app_user')
          .select('team_id')
          .where('team_id', '!=', other.tenant.teamId)
          .execute();
        expect([name, rows.length]).toEqual([name, 0]);
      }
    });
  });

  it('refuses a row that a tenant would write for another', async () => {
    const one = await house.team();
    const other = await house.team();
    const writing = inTenant(house.app, one.tenant, ({ tx }) =>
      tx
        .insertInto('event')
        .values({
          team_id: other.tenant.teamId,
          environment: 'sandbox',
          id: '01900000-0000-7000-8000-000000000000',
          event_type: 'x',
          user_id: null,
          client_user_id: null,
          data: Buffer.of(1),
          created_at: house.clock.now(),
        })
        .execute(),
    );
    await expect(writing).rejects.toThrow(/row-level security/);
  });

  it('keeps data keys and other tenants’ keys away from tenants', async () => {
    const { tenant } = await house.team();
    for (const name of ['tenant_key', 'api_key', 'management_key', 'audit_log'] as const) {
      const reading = inTenant(house.app, tenant, ({ tx }) => tx.selectFrom(name).selectAll().execute());
      await expect(reading).rejects.toThrow(/permission denied/);
    }
  });
});
