import type { AttackStage } from './stage.ts';

/** Tables that the service itself writes while nobody calls it, and its logs of calls. */
const WRITTEN_IN_BACKGROUND =
  /^(access_log|request_log|audit_|api_key$|event|timer$|webhook_|idempoten|tenant_key|job|graphile|mail|lab_message|team_usage)/;

/** A digest of the rows of the attacked team in its environment, by table. */
export async function readTeamState({
  ownerPool,
  samples: { owner },
}: Pick<AttackStage, 'ownerPool' | 'samples'>): Promise<Readonly<Record<string, string>>> {
  const { rows: tables } = await ownerPool.query<{ name: string }>(
    `select table_name as name from information_schema.columns
     where table_schema = 'public' and column_name in ('team_id', 'environment')
     group by 1 having count(*) = 2 order by 1`,
  );
  const state: Record<string, string> = {};
  for (const { name } of tables.filter((table) => !WRITTEN_IN_BACKGROUND.test(table.name))) {
    const { rows } = await ownerPool.query<{ digest: string }>(
      `select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as digest
       from "${name}" t where team_id = $1 and environment = $2`,
      [owner.tenant.teamId, owner.tenant.environment],
    );
    state[name] = rows[0]?.digest ?? '';
  }
  return state;
}
