import type { App } from '../app.ts';
import { sendMail } from '../mail/mail.ts';
import { isoMoment, later, MINUTE, SECOND } from '../platform/clock.ts';
import { found } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import type { Work } from '../platform/work.ts';
import { audited, type Acting } from './acting.ts';
import * as store from './break-glass-store.ts';
import { forgetKeys } from './gate.ts';
import { withKeys } from './key-life.ts';
import { digestOf, newOpeningToken } from './keys.ts';
import { teamSettings } from './settings.ts';

const LIFE_MS = 60 * MINUTE;

export interface Opening {
  readonly id: string;
  readonly token: string;
  readonly expiresInSeconds: number;
  readonly endsAt: Date;
}

/** Opens the data of a team to whoever has the token: to read, for an hour of the service's clock, and never in silence. */
export async function breakGlass(app: App, acting: Acting, reason: string): Promise<Opening> {
  const { tenant, by } = acting;
  const token = newOpeningToken();
  const at = app.clock.now();
  const opening = { id: newId(), reason, opened_by: by.actor, opened_at: at, ends_at: later(at, LIFE_MS) };
  await audited(app, acting, async (work) => {
    await withKeys(work, (tx) =>
      store.insertOpening(tx, {
        team_id: tenant.teamId,
        environment: tenant.environment,
        digest: digestOf(token),
        ended_at: null,
        ...opening,
      }),
    );
    await tellTeam(work, { id: opening.id, by: by.actor, until: opening.ends_at });
    const after = { environment: tenant.environment, reason, ends_at: opening.ends_at };
    return { value: undefined, deed: { action: 'break_glass.open', subject: opening.id, after } };
  });
  app.log.warn(
    { opening: opening.id, by: by.actor, ...tenant },
    'break-glass: the data of a team were opened',
  );
  return { id: opening.id, token, expiresInSeconds: LIFE_MS / SECOND, endsAt: opening.ends_at };
}

/** Ends an opening before its time; the token is dead at once on this node. */
export async function endBreakGlass(app: App, acting: Acting, id: string): Promise<void> {
  const { tenant, by } = acting;
  const at = app.clock.now();
  await audited(app, acting, async (work) => {
    const ended = await withKeys(work, (tx) => store.endOpening(tx, { tenant, id, at }));
    const { ends_at } = found(ended, 'Opening');
    const before = { environment: tenant.environment, ends_at };
    const deed = { action: 'break_glass.end', subject: id, before, after: { ends_at: at } };
    return { value: undefined, deed };
  });
  forgetKeys(app);
  app.log.warn({ opening: id, by: by.actor, ...tenant }, 'break-glass: an opening was ended');
}

/** By e-mail, where the team has an address for what is urgent. The reason may be about a patient: it stays in the log. */
async function tellTeam(
  work: Work,
  { id, by, until }: { id: string; by: string; until: Date },
): Promise<void> {
  const { critical_result_notification_email: to } = await teamSettings(work);
  if (to === null) return;
  const { teamId, environment } = work.tenant;
  await sendMail(work, {
    key: `break-glass/${id}`,
    to,
    subject: 'The data of your team were opened',
    text: [
      `The management key ${by} opened the ${environment} data of the team ${teamId} for reading.`,
      `The opening ${id} ends at ${isoMoment(until)}, if nobody ends it before.`,
      'The audit log has the reason, and the access log every access.',
      '',
    ].join('\n'),
  });
}
