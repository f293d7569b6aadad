/**
 * One route of the service, with or without authentication. Everything else is the same, so that the difference is the
 * cost of authentication.
 */
import { z } from 'zod';
import { createAuthenticator } from '../../packages/server/src/identity/management/authenticate.ts';
import { bootstrap } from '../../packages/server/src/identity/management/management.ts';
import { ownTeamRoutes } from '../../packages/server/src/identity/management/own-team-routes.ts';
import { probeRoutes } from '../../packages/server/src/pages.ts';
import { readConfig } from '../../packages/server/src/platform/config.ts';
import { openHttp } from '../../packages/server/src/platform/http/http.ts';
import type { Authenticator } from '../../packages/server/src/platform/http/route.ts';
import { openLog } from '../../packages/server/src/platform/log.ts';
import { openApp } from '../../packages/server/src/service.ts';

const environment = z.object({ OPEN_TO_TEAM: z.string().optional() }).parse(process.env);
const config = readConfig();
const { app, close } = await openApp({
  config,
  log: openLog('warn'),
  root: new URL('../../packages/server/', import.meta.url),
});
await bootstrap(app);

/** Accepts every request as one of this team. */
function acceptEveryone(teamId: string): Authenticator {
  const principal = {
    tenant: { teamId, environment: 'sandbox' as const },
    keyId: '',
    features: new Set<string>(),
    mayRead: () => false,
  };
  const refuse = async () => Promise.reject(new Error('No Management API here'));
  return { team: async () => principal, management: refuse };
}

const http = openHttp(
  app,
  environment.OPEN_TO_TEAM === undefined
    ? createAuthenticator(app)
    : acceptEveryone(environment.OPEN_TO_TEAM),
);
ownTeamRoutes(http, app);
probeRoutes(http, app);
await http.server.listen({ host: '127.0.0.1', port: config.PORT });
process.once('SIGTERM', () => void http.server.close().then(close));
