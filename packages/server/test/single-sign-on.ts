import { joinOrganization } from './members.ts';
import type { TestBrowser } from './browser.ts';
import type { TestIdentityProvider } from './identity-provider.ts';
import type { ApiResponse, TestService, TestTeam } from './service.ts';

let names = 0;

/** A domain that the organization of the team has verified. */
export async function verifiedDomain(service: TestService, team: TestTeam): Promise<string> {
  const domain = `clinic-${(names += 1)}.example`;
  const added = await team.management.post(`/v1/org/${team.orgId}/domain`, { domain });
  await verify(service, added.json.id);
  return domain;
}

/** As a TXT record would do it; verifying by DNS has tests of its own. */
const verify = (service: TestService, id: string) =>
  service.ownerPool.query(
    `update organization_domain set status = 'verified', verified_at = created_at where id = $1`,
    [id],
  );

export interface TestConnection {
  readonly id: string;
  readonly domain: string;
  readonly path: string;
}

/** Connects an organization with the provider, for a new domain. */
export async function connectProvider(
  service: TestService,
  team: TestTeam,
  provider: TestIdentityProvider,
  more: Record<string, unknown> = {},
): Promise<TestConnection> {
  const domain = await verifiedDomain(service, team);
  const made = await team.management.post(`/v1/org/${team.orgId}/sso_connection`, {
    name: 'Clinic login',
    issuer: provider.issuer,
    client_id: provider.clientId,
    client_secret: provider.clientSecret,
    domains: [domain],
    ...more,
  });
  if (made.status !== 201) throw new Error(`No connection: ${made.text}`);
  return { id: made.json.id, domain, path: `/v1/org/${team.orgId}/sso_connection/${made.json.id}` };
}

/** A member with an address of the connection's domain, who may sign in. */
export async function joinWithAddress(
  service: TestService,
  team: TestTeam,
  { domain, ...role }: { domain: string } & Record<string, unknown>,
): Promise<{ id: string; email: string }> {
  const email = `ada-${(names += 1)}@${domain}`;
  return { id: await joinOrganization(service, team, { email, role: 'no_role', ...role }), email };
}

/** Goes to the provider, as the browser is told; returns the path with which it comes back. */
export async function visitProvider(authorizationUrl: string): Promise<string> {
  const answer = await fetch(authorizationUrl, { redirect: 'manual' });
  const back = new URL(answer.headers.get('location') ?? '');
  return back.pathname + back.search;
}

/** Begins a sign-in in the browser; returns the URL at the provider. */
export async function beginSignOn(browser: TestBrowser, asked: object): Promise<string> {
  const started = await browser.post('/v1/session/sso', asked);
  if (started.status !== 200) throw new Error(`Not begun: ${started.text}`);
  return started.json.authorization_url;
}

/** Signs in: to the provider, and back. */
export async function signOn(browser: TestBrowser, asked: object): Promise<ApiResponse> {
  const back = await browser.get(await visitProvider(await beginSignOn(browser, asked)));
  if (back.status === 200) await browser.get('/v1/session');
  return back;
}
