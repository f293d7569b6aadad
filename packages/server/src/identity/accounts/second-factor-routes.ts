import { z } from 'zod';
import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import { requirePreSession } from './pre-sessions.ts';
import { completeSignIn } from './second-factor.ts';
import { requireProof, secondFactorFields } from './second-factor-schema.ts';
import { answerWithSession, originOf } from './session-answer.ts';
import { expiredCookie } from './session-cookie.ts';
import { SessionView } from './session-schema.ts';

const ShowSecondFactor = z.object(secondFactorFields).meta({ id: 'ShowSecondFactor' });

/** The second step of signing in. */
export function secondFactorRoutes(http: Http, app: App): void {
  http.open.post('/v1/session/second-factor', {
    schema: {
      operationId: 'completeSignIn',
      summary: 'Complete a sign-in',
      description:
        'Extension. After a 202 of `POST /v1/session` or `POST /v1/session/link`, with its cookie: opens a session with ' +
        'a code of the authenticator app or a recovery code. 401 for a wrong code, one that was used, and after 10 ' +
        'minutes; 429 after too many attempts.',
      tag: 'Accounts',
      body: ShowSecondFactor,
      response: { 200: SessionView },
    },
    handler: async (request) => {
      const pre = await requirePreSession(app, request);
      const proof = requireProof(request.body);
      const opened = await completeSignIn(app, pre, { proof, origin: originOf(request, pre.method) });
      const view = answerWithSession(request, opened);
      request.setCookie(expiredCookie(app, 'sign-in'));
      return view;
    },
  });
}
