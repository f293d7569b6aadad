import { z } from 'zod';
import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import { findFactors, hasFactor, regenerateRecoveryCodes } from '../factors/factors.ts';
import { FactorsView, toFactorsView } from './factor-schema.ts';
import { mailFactorChange } from './factor-mail.ts';
import { memberActor, requireRecentAuthentication, requireSession } from './sessions.ts';

const tag = 'Accounts';

const RecoveryCodes = z
  .object({ recovery_codes: z.array(z.string()).describe('Ten codes, each accepted once. Shown once.') })
  .meta({ id: 'RecoveryCodes' });

/** What the signed-in member has enrolled, and the recovery codes. */
export function recoveryCodeRoutes(http: Http, app: App): void {
  http.open.get('/v1/account/second-factor', {
    schema: {
      operationId: 'getOwnSecondFactor',
      summary: 'Get your second factors',
      description: 'Extension. What the signed-in member has enrolled, without any secret.',
      tag,
      usesSession: true,
      response: { 200: FactorsView },
    },
    handler: async (request) => {
      const { memberId } = await requireSession(app, request);
      return toFactorsView(await asSystem(app.db, (tx) => findFactors(tx, memberId)));
    },
  });

  http.open.post('/v1/account/recovery-codes', {
    schema: {
      operationId: 'replaceRecoveryCodes',
      summary: 'Replace your recovery codes',
      description:
        'Extension. The earlier codes become invalid. Needs the x-csrf-token header and credentials that were shown ' +
        'within 5 minutes. 409 for a member without a second factor.',
      tag,
      usesSession: true,
      response: { 200: RecoveryCodes },
    },
    handler: async (request) => {
      const session = await requireSession(app, request);
      requireRecentAuthentication(app, session);
      const { memberId, orgId } = session;
      const by = memberActor(session, request.from);
      const codes = await asSystem(app.db, async (tx) => {
        if (!hasFactor(await findFactors(tx, memberId)))
          throw new DomainError('conflict', 'You have no second factor that a recovery code could replace');
        return regenerateRecoveryCodes(app, tx, { memberId, orgId, by });
      });
      await mailFactorChange(app, session.email, 'recovery_codes_replaced');
      return { recovery_codes: codes };
    },
  });
}
