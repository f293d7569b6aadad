import type pg from 'pg';
import { ENVIRONMENTS } from '../platform/tenant.ts';

interface QueuedJob {
  readonly id: string;
  readonly name: string;
  readonly running: boolean;
}

/** The jobs of a team in the queue of the house. Their flags name the tenant. */
export async function listJobs(client: pg.ClientBase, teamId: string): Promise<QueuedJob[]> {
  const { rows } = await client.query<QueuedJob>(
    `select id::text, task_identifier as name, locked_at is not null as running from graphile_worker.jobs
     where flags ?| array(select public.aliquot_tenant_flag(json_build_object('team_id', $1::text, 'environment', e))
       from unnest($2::text[]) as e) order by id`,
    [teamId, ENVIRONMENTS],
  );
  return rows;
}
