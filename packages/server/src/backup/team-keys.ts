import type pg from 'pg';
import type { KeyProvider } from '../platform/crypto/key-provider.ts';
import { unwrapKeys, type TenantKeyRow, type UnwrapKey } from '../platform/crypto/key-store.ts';
import { stagedNameOf, type StagedTeam } from './team-stage.ts';

/** Opens the data keys of the house and of the backup. */
export type KeyUnwrapper = UnwrapKey;

export const openUnwrapper =
  (providers: readonly KeyProvider[]): KeyUnwrapper =>
  (wrapped, context) => {
    const provider = providers.find(({ fingerprint }) => fingerprint === wrapped.wrapped_by);
    if (provider) return provider.unwrap(wrapped.wrapped_key, context);
    const known = providers.map(({ name, fingerprint }) => `${name} has ${fingerprint}`).join(', ');
    throw new Error(
      `A data key of the team needs the key ${wrapped.wrapped_by}; ${known}. Set ADDITIONAL_KEY_PROVIDER to the key that was in use at the time of the backup`,
    );
  };

/**
 * Adds the data keys of the backup that the house does not have. Those of the house stay: running processes seal with
 * them. Throws if the house has another key of the same number.
 */
export async function mergeKeys({
  client,
  staged,
  teamId,
  unwrap,
}: {
  readonly client: pg.ClientBase;
  readonly staged: Pick<StagedTeam, 'laterKeys'>;
  readonly teamId: string;
  readonly unwrap: KeyUnwrapper;
}): Promise<void> {
  const from = stagedNameOf('tenant_key');
  const { rows: here } = await client.query<TenantKeyRow>(
    'select * from public.tenant_key where team_id = $1',
    [teamId],
  );
  const { rows: given } = await client.query<TenantKeyRow>(`select * from ${from}`);
  for (const key of given) {
    const opened = await unwrapKeys(unwrap, key);
    const own = here.find((one) => one.environment === key.environment && one.generation === key.generation);
    if (!own) continue;
    const known = await unwrapKeys(unwrap, own);
    if (known.dataKey.equals(opened.dataKey) && isSame(known.indexKey, opened.indexKey)) continue;
    throw new Error(
      `The installation has another data key ${key.generation} of the team in ${key.environment} than the backup: both cannot be kept, so what the backup sealed could not be opened`,
    );
  }
  // Exactly one key of a tenant seals: that of the house, if it has one.
  await client.query(
    `insert into public.tenant_key
     select k.* from ${from} s, jsonb_populate_record(null::public.tenant_key, to_jsonb(s) || jsonb_build_object('state',
       case when s.state = 'current' and not exists (select from public.tenant_key h
         where h.team_id = s.team_id and h.environment = s.environment) then 'current' else 'retired' end)) as k
     on conflict do nothing`,
  );
  await client.query(
    `insert into public.tenant_key
     select k.* from jsonb_array_elements($1::jsonb) as later,
       jsonb_populate_record(null::public.tenant_key, later || '{"state": "retired"}') as k
     where k.team_id = $2 on conflict do nothing`,
    [staged.laterKeys, teamId],
  );
}

const isSame = (one: Buffer | null, other: Buffer | null): boolean =>
  one && other ? one.equals(other) : one === other;
