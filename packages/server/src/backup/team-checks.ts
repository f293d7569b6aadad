import type pg from 'pg';
import type { TeamReplacement } from './team-change.ts';
import { listJobs } from './team-jobs.ts';
import { LOOSE_REFERENCES, MERGED_TABLES, REPLACED_TABLES } from './team-rules.ts';
import { stagedNameOf } from './team-stage.ts';

/** What the operator allows. */
export interface ReplaceWish {
  /** Rows of the team in the house are deleted. */
  readonly replace: boolean;
  /** So are orders and results that came after the backup. */
  readonly dropLaterOrders: boolean;
  /** What belonged to members who were removed since is left out, as their removal deleted it. */
  readonly withoutRemovedMembers: boolean;
}

interface AllowedRestore {
  readonly orgId: string;
  readonly laterOrders: readonly string[];
  readonly laterResults: number;
}

/** Work of the team is in progress: trying again helps. */
export class TeamBusyError extends Error {}

const IDS_SHOWN = 10;

/** Throws where a restore would do harm, with what to do about it. */
export async function refuseRestore(change: TeamReplacement, wish: ReplaceWish): Promise<AllowedRestore> {
  const orgId = await requireOrganization(change);
  await requireIdle(change);
  if (!wish.replace) await requireNoRows(change);
  const later = await findLater(change);
  if ((later.laterOrders.length > 0 || later.laterResults > 0) && !wish.dropLaterOrders)
    throw new Error(
      `Since the backup, ${later.laterOrders.length} orders of the team were sent to a laboratory` +
        `${later.laterOrders.length > 0 ? ` (${listIds(later.laterOrders)})` : ''} and ${later.laterResults} results ` +
        'came in. The restore would lose them, and what the laboratory still sends would match no order. Use a newer ' +
        'backup, or --drop-later-orders to lose them',
    );
  return { orgId, ...later };
}

export const listIds = (ids: readonly string[]): string =>
  ids.slice(0, IDS_SHOWN).join(', ') + (ids.length > IDS_SHOWN ? ', …' : '');

async function requireOrganization({ client, teamId }: TeamReplacement): Promise<string> {
  const { rows } = await client.query<{ org_id: string; here: boolean; other: string | null }>(
    `select s.org_id, exists (select from public.organization o where o.id = s.org_id) as here,
       (select t.org_id::text from public.team t where t.id = s.id and t.org_id <> s.org_id) as other
     from ${stagedNameOf('team')} s where s.id = $1`,
    [teamId],
  );
  const [team] = rows;
  if (!team) throw new Error('The backup has no row of the team');
  if (!team.here)
    throw new Error(
      `table team: the organization ${team.org_id} of the team does not exist in this installation any more. A team can only return to its organization`,
    );
  if (team.other !== null)
    throw new Error(
      `The team belongs to the organization ${team.other} by now, in the backup to ${team.org_id}`,
    );
  return team.org_id;
}

async function requireIdle({ client, teamId }: TeamReplacement): Promise<void> {
  const running = (await listJobs(client, teamId)).filter((job) => job.running).map(({ name }) => name);
  if (running.length > 0)
    throw new TeamBusyError(
      `Jobs of the team are running (${[...new Set(running)].join(', ')}): try again, or stop the workers first`,
    );
  const rotating = await client.query(
    "select from public.data_key_rotation where team_id = $1 and state in ('announced', 'sealing')",
    [teamId],
  );
  if (rotating.rowCount)
    throw new Error(
      'The data key of the team is being exchanged: restore when that is done (aliquot keys rotate-encryption)',
    );
}

async function requireNoRows({ client, teamId }: TeamReplacement): Promise<void> {
  const found: string[] = [];
  for (const table of REPLACED_TABLES) {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int as count from public.${table} where team_id = $1`,
      [teamId],
    );
    if (rows[0]?.count) found.push(`${rows[0].count} of ${table}`);
  }
  if (found.length > 0)
    throw new Error(
      `The installation has rows of the team: ${found.join(', ')}. With --replace they are deleted, and what came after the backup is lost`,
    );
}

/** What reached a laboratory, or came from one, after the backup. */
async function findLater({ client, teamId }: TeamReplacement): Promise<Omit<AllowedRestore, 'orgId'>> {
  const { rows: orders } = await client.query<{ id: string }>(
    `select o.id from public.lab_order o
     left join ${stagedNameOf('lab_order')} s on s.environment = o.environment and s.id = o.id
     where o.team_id = $1 and (
       s.id is null and (o.sample_id is not null or o.step <> 'ordered')
       or s.id is not null and s.sample_id is null and o.sample_id is not null
       or exists (select from public.lab_message m where m.team_id = o.team_id and m.environment = o.environment
         and m.order_id = o.id and m.direction = 'out' and not exists (select from ${stagedNameOf('lab_message')} n
           where n.environment = m.environment and n.id = m.id)))
     order by o.created_at, o.id`,
    [teamId],
  );
  const { rows: results } = await client.query<{ count: number }>(
    `select count(*)::int as count from public.lab_result r where r.team_id = $1
     and not exists (select from ${stagedNameOf('lab_result')} s where s.environment = r.environment
       and s.order_id = r.order_id and s.version = r.version)`,
    [teamId],
  );
  return { laterOrders: orders.map(({ id }) => id), laterResults: results[0]?.count ?? 0 };
}

interface ForeignKey {
  readonly child: string;
  readonly parent: string;
  readonly columns: string[];
  readonly referred: string[];
}

const MEMBERS = 'organization_member';
const LEAVE_OUT = 'use --without-removed-members to leave out what belonged to members who were removed';
const BRING_BACK = 'bring it back first, or restore the whole installation elsewhere';

/** Deletes restored rows of members who do not exist any more, with what depends on them. Returns how many. */
export async function leaveOutRemovedMembers(client: pg.ClientBase, teamId: string): Promise<number> {
  let leftOut = 0;
  for (const { child, parent, columns } of await listForeignKeys(client)) {
    if (parent !== MEMBERS) continue;
    const { rowCount } = await client.query(
      `delete from public.${child} c where c.team_id = $1 and c.${columns[0]} is not null
         and not exists (select from public.${MEMBERS} m where m.id = c.${columns[0]})`,
      [teamId],
    );
    leftOut += rowCount ?? 0;
  }
  return leftOut;
}

/** Throws if a row of the team refers to one that does not exist. */
export async function checkReferences(client: pg.ClientBase, teamId: string): Promise<void> {
  for (const { child, parent, columns, referred } of await listForeignKeys(client)) {
    const set = columns.map((column) => `c.${column} is not null`).join(' and ');
    const same = columns.map((column, at) => `p.${referred[at]} = c.${column}`).join(' and ');
    const shown = columns.at(-1) ?? '';
    const { rows } = await client.query<{ row: string; id: string }>(
      `select coalesce(to_jsonb(c)->>'id', c.${shown}::text) as row, concat_ws('/', ${columns.map((column) => `c.${column}`).join(', ')}) as id
       from public.${child} c where c.${child === 'team' ? 'id' : 'team_id'} = $1 and ${set}
         and not exists (select from public.${parent} p where ${same}) limit 1`,
      [teamId],
    );
    if (rows[0])
      throw new Error(
        `table ${child}: the row ${rows[0].row} of the backup refers by ${columns.join(', ')} to ${parent} ${rows[0].id}, ` +
          `which the installation does not have any more: ${parent === MEMBERS ? LEAVE_OUT : BRING_BACK}`,
      );
  }
}

/** The foreign keys of the team's tables, and the references that have none. */
async function listForeignKeys(client: pg.ClientBase): Promise<ForeignKey[]> {
  const names = [...REPLACED_TABLES, ...Object.keys(MERGED_TABLES)];
  const { rows } = await client.query<ForeignKey>(
    `select c.relname as child, p.relname as parent,
       array(select quote_ident(a.attname) from unnest(f.conkey) with ordinality as k (att, place)
         join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.att order by k.place) as columns,
       array(select quote_ident(a.attname) from unnest(f.confkey) with ordinality as k (att, place)
         join pg_attribute a on a.attrelid = f.confrelid and a.attnum = k.att order by k.place) as referred
     from pg_constraint f join pg_class c on c.oid = f.conrelid join pg_class p on p.oid = f.confrelid
     where f.contype = 'f' and f.connamespace = 'public'::regnamespace and c.relname = any($1) order by 1, 2`,
    [names],
  );
  const loose = LOOSE_REFERENCES.map(({ table, column, house }) => ({
    child: table,
    parent: house,
    columns: [column],
    referred: ['id'],
  }));
  return [...rows, ...loose];
}
