import type pg from 'pg';
import type { KeyUnwrapper } from './team-keys.ts';
import type { StagedTeam } from './team-stage.ts';

/** One transaction that replaces a team. */
export interface TeamReplacement {
  readonly client: pg.ClientBase;
  readonly teamId: string;
  readonly staged: StagedTeam;
  readonly now: Date;
  readonly unwrap: KeyUnwrapper;
  readonly lockTimeoutMs: number;
}
