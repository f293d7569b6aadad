import { describe, expect, it } from 'vitest';
import { inTenant } from '../src/app.ts';
import { useTestService } from './service-hooks.ts';

const service = useTestService();

/** Tables without a tenant, each with the reason. */
// prettier-ignore
const NO_TENANT: Record<string, string> = {
  kysely_migration:      'completed migrations',
  kysely_migration_lock: 'completed migrations',
  schema_version:        'the versions that may use the schema',
  organization:          'contains teams',
  team:                  'contains environments',
  api_key:               'looked up before the tenant is known',
  management_key:        'belongs to an organization',
  management_key_team:   'belongs to an organization',
  audit_log:             'belongs to an organization',
  lab:                   'the catalog is shared',
  marker:                'the catalog is shared',
  catalog_template:      'the catalog is shared',
  catalog_load:          'the catalog is shared',
  catalog_version:       'the catalog is shared',
  courier_inbox:         'courier notifications for unknown parcels; no tenant, no personal data',
  backup_task:           'the schedule of backups of the whole deployment',
  deployment_key:        'one key of the deployment, wrapped',
  lab_unclaimed_message: 'laboratory messages without a connection; sealed with a key of the deployment',
  organization_member:   'belongs to an organization',
  organization_invite:   'belongs to an organization',
  organization_domain:   'belongs to an organization',
  member_session:        'belongs to a member of an organization',
  member_password:       'belongs to a member of an organization',
  member_link:           'belongs to an organization, and to a member or its first owner; digests only',
  member_email_change:   'belongs to a member of an organization; the address that is not confirmed yet, and digests',
  member_totp:           'belongs to a member of an organization; sealed with the key of the organization',
  member_recovery_code:  'belongs to a member of an organization; digests only',
  member_passkey:        'belongs to a member of an organization; public keys only',
  passkey_challenge:     'belongs to a browser before the member is known; digests and random bits only',
  member_pre_session:    'belongs to a member of an organization; digests only',
  directory_token:       'belongs to an organization',
  directory_user:        'belongs to an organization',
  directory_group:       'belongs to an organization',
  directory_group_member: 'belongs to an organization',
  organization_key:      'belongs to an organization: the key that seals the secrets of its members',
  organization_sign_in:  'belongs to an organization',
  sso_connection:        'belongs to an organization; its secret is sealed with the key of the organization',
  sso_identity:          'belongs to a connection and a member of one organization',
  sso_request:           'belongs to a browser before the member is known; digests only',
  sign_in_attempt:       'counts attempts before a member is known; keyed digests only',
  ehr_configuration:     'belongs to an organization',
  ehr_member:            'belongs to an organization',
  audit_head:            'belongs to an organization: the end of its audit chain',
  psc_site:              'patient service centers, shared like the catalog',
  psc_site_load:         'the version of the loaded generated sites',
  rate_bucket:           'levels of rate limits, by ids of teams and keys and by networks; no personal data',
  webhook_lease:         'ids of the messages that each sender has claimed; no tenant, no personal data',
  lab_account:           'belongs to an organization; a policy shows a tenant the accounts that it may use',
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
    await service.ownerPool.query(`
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
  it('belongs to a tenant, or has a listed reason', async () => {
    const loose = (await tables()).filter(({ name }) => !(name in NO_TENANT));
    expect(loose.length).toBeGreaterThan(10);
    for (const table of loose) {
      expect(table).toMatchObject({ rls: true, forced: true, tenant_columns: 2 });
      expect(table.key.slice(0, 2), table.name).toEqual(['team_id', 'environment']);
      expect(table.owner).not.toBe('aliquot_tenant');
    }
  });

  it('has foreign keys that begin with the tenant columns between tenant tables', async () => {
    const { rows } = await service.ownerPool.query(`
      select c.conrelid::regclass::text as from_table, c.confrelid::regclass::text as to_table,
        array(select a.attname::text from unnest(c.conkey) with ordinality as k(att, place)
          join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.att order by k.place) as columns
      from pg_constraint c where c.contype = 'f' and c.connamespace = 'public'::regnamespace`);
    const between = rows.filter(({ from_table: a, to_table: b }) => !(a in NO_TENANT) && !(b in NO_TENANT));
    expect(between.length).toBeGreaterThan(5);
    for (const key of between)
      expect(key.columns.slice(0, 2), key.from_table).toEqual(['team_id', 'environment']);
  });

  it('hides rows of other tenants, even from a query without a tenant filter', async () => {
    const one = await service.team();
    const other = await service.team();
    await one.user();
    const names = (await tables()).map(({ name }) => name).filter((name) => !(name in NO_TENANT));
    await inTenant(service.app, other.tenant, async ({ tx }) => {
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

  it('rejects a row that a tenant writes for another', async () => {
    const one = await service.team();
    const other = await service.team();
    const writing = inTenant(service.app, one.tenant, ({ tx }) =>
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
          created_at: service.clock.now(),
        })
        .execute(),
    );
    await expect(writing).rejects.toThrow(/row-level security/);
  });

  it('denies tenants access to data keys and other tenants’ keys', async () => {
    const { tenant } = await service.team();
    for (const name of ['tenant_key', 'api_key', 'management_key', 'audit_log'] as const) {
      const reading = inTenant(service.app, tenant, ({ tx }) => tx.selectFrom(name).selectAll().execute());
      await expect(reading).rejects.toThrow(/permission denied/);
    }
  });

  it('gives functions with the privileges of the owner a fixed search path, and nobody a right to call them', async () => {
    const { rows } = await service.ownerPool.query(`
      select p.oid::regprocedure::text as name,
        coalesce(array_to_string(p.proconfig, ' ') ~ '(^| )search_path=', false) as has_path,
        exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
          where a.grantee = 0 and a.privilege_type = 'EXECUTE') as is_public
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where p.prosecdef and n.nspname not in ('pg_catalog', 'information_schema')`);
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.filter(({ has_path }) => !has_path)).toEqual([]);
    expect(rows.filter(({ is_public }) => is_public)).toEqual([]);
  });
});
