import { z } from 'zod';
import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import type { Http } from '../../platform/http/http.ts';
import { lockOrganization, writeAuditEntry } from '../management/management.ts';
import { changeMember, DisplayName, requireMemberOf } from '../organizations/organizations.ts';
import {
  memberActor,
  requireCurrentCsrfToken,
  requireRecentAuthentication,
  requireSession,
} from './sessions.ts';
import { SessionView, toSessionView } from './session-schema.ts';

const ChangeProfile = z
  .object({ name: DisplayName.describe('Your name, as other members and the logs show it.') })
  .meta({ id: 'ChangeOwnProfile' });

/** What members change about themselves. */
export function profileRoutes(http: Http, app: App): void {
  http.open.patch('/v1/account', {
    schema: {
      operationId: 'changeOwnProfile',
      summary: 'Change your name',
      description:
        'Extension. Sessions stay. Needs the x-csrf-token header, and credentials that were shown within 5 minutes.',
      tag: 'Accounts',
      usesSession: true,
      body: ChangeProfile,
      response: { 200: SessionView },
    },
    handler: async (request) => {
      const session = await requireSession(app, request);
      requireRecentAuthentication(app, session);
      const { name } = request.body;
      await asSystem(app.db, async (tx) => {
        await lockOrganization(tx, session.orgId);
        const before = await requireMemberOf(tx, session.orgId, session.memberId);
        await changeMember(tx, before.id, { name });
        await writeAuditEntry(tx, {
          ...memberActor(session, request.from),
          orgId: session.orgId,
          // Without the names: they belong to a person, and the log is kept.
          action: 'member.rename',
          subject: before.id,
          at: app.clock.now(),
        });
      });
      return toSessionView({ ...session, name }, requireCurrentCsrfToken(app, request));
    },
  });
}
