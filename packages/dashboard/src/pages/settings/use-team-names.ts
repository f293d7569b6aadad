import { useSession } from '../../api/session.ts';
import { shortId } from '../../base/short-id.ts';

/** Names of the teams of the member, by id. */
export function useTeamNames(): {
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly nameOf: (id: string) => string;
} {
  const teams = useSession().data?.access.teams ?? [];
  return {
    options: teams.map(({ team_id: value, name: label }) => ({ value, label })),
    nameOf: (id) => teams.find(({ team_id: known }) => known === id)?.name ?? shortId(id),
  };
}
