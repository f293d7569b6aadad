import { digestToken } from '../../platform/crypto/secret-token.ts';
import type { App } from '../../app.ts';
import { sendMail } from '../../mail/mail.ts';
import { isoTimestamp, later, MINUTE, SECOND } from '../../platform/clock.ts';
import { requireFound } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { Work } from '../../platform/work.ts';
import { requirePrivileges } from './actor-store.ts';
import { runAuditedChange, type TenantChangeContext } from './audited-change.ts';
import * as store from './break-glass-store.ts';
import { invalidateKeyCache } from './authenticate.ts';
import { withSystemRole } from './key-lifecycle.ts';
import { newOpeningToken } from './keys.ts';
import { readTeamSettings } from './settings.ts';

const LIFETIME_MS = 60 * MINUTE;

interface BreakGlassOpening {
  readonly id: string;
  readonly token: string;
  readonly expiresInSeconds: number;
  readonly endsAt: Date;
}

/**
 * Creates a token for read access to the data of a team, valid for an hour of system time, or until the key that made it
 * is revoked or the member loses privileges. Writes an audit entry, logs a warning and notifies the team.
 */
export async function openBreakGlass(
  app: App,
  acting: TenantChangeContext,
  reason: string,
): Promise<BreakGlassOpening> {
  const { tenant, by } = acting;
  const token = newOpeningToken();
  const at = app.clock.now();
  const opening = {
    id: newId(),
    reason,
    opened_by: by.actor,
    opened_at: at,
    ends_at: later(at, LIFETIME_MS),
  };
  await runAuditedChange(app, acting, async (work) => {
    await withSystemRole(work, async (tx) =>
      store.insertOpening(tx, {
        team_id: tenant.teamId,
        environment: tenant.environment,
        digest: digestToken(token),
        ended_at: null,
        opener_privileges: await requirePrivileges(tx, { orgId: acting.orgId, actor: by.actor, now: at }),
        ...opening,
      }),
    );
    await notifyTeam(work, { id: opening.id, by: by.actor, until: opening.ends_at });
    const after = { environment: tenant.environment, reason, ends_at: opening.ends_at };
    return { value: undefined, deed: { action: 'break_glass.open', subject: opening.id, after } };
  });
  app.log.warn(
    { opening: opening.id, by: by.actor, ...tenant },
    'break-glass access to the data of a team was opened',
  );
  return { id: opening.id, token, expiresInSeconds: LIFETIME_MS / SECOND, endsAt: opening.ends_at };
}

/** Ends an opening early; the token is invalid immediately on this node. */
export async function endBreakGlass(app: App, acting: TenantChangeContext, id: string): Promise<void> {
  const { tenant, by } = acting;
  const at = app.clock.now();
  await runAuditedChange(app, acting, async (work) => {
    const ended = await withSystemRole(work, (tx) => store.endOpening(tx, { tenant, id, at }));
    const { ends_at } = requireFound(ended, 'Opening');
    const before = { environment: tenant.environment, ends_at };
    const deed = { action: 'break_glass.end', subject: id, before, after: { ends_at: at } };
    return { value: undefined, deed };
  });
  invalidateKeyCache(app);
  app.log.warn({ opening: id, by: by.actor, ...tenant }, 'break-glass access was ended early');
}

/** E-mails the address for critical results, if there is one. Omits the reason, because it may be about a patient. */
async function notifyTeam(
  work: Work,
  { id, by, until }: { id: string; by: string; until: Date },
): Promise<void> {
  const { critical_result_notification_email: to } = await readTeamSettings(work);
  if (to === null) return;
  const { teamId, environment } = work.tenant;
  await sendMail(work, {
    key: `break-glass/${id}`,
    to,
    subject: 'Emergency access to the data of your team',
    text: [
      `The management key ${by} opened read access to the ${environment} data of the team ${teamId}.`,
      `The opening ${id} ends at ${isoTimestamp(until)}, unless it is ended earlier.`,
      'The reason is in the audit log, and every access is in the access log.',
      '',
    ].join('\n'),
  });
}
