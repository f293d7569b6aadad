import type { Environment } from '../api/client.ts';
import type { Access } from '../api/session.ts';

const KEY = 'dashboard-last-team';

/** The team that this browser showed last, if the member still works in it; else the first one. */
export function lastTenant({ teams }: Access): { teamId: string | undefined; environment: Environment } {
  const [teamId, environment] = (localStorage.getItem(KEY) ?? '').split('/');
  const known = teams.find((team) => team.team_id === teamId) ?? teams[0];
  return { teamId: known?.team_id, environment: environment === 'production' ? 'production' : 'sandbox' };
}

/** Ids only: nothing of a patient is stored in the browser. */
export const rememberTenant = (teamId: string, environment: Environment): void =>
  localStorage.setItem(KEY, `${teamId}/${environment}`);
