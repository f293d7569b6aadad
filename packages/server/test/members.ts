import { newId } from '../src/platform/ids.ts';
import { openSession } from '../src/identity/accounts/accounts.ts';
import type { ApiClient, TestService, TestTeam } from './service.ts';

/** Creates a member of the team's organization by an invite; returns the id. */
export async function joinOrganization(
  service: TestService,
  team: TestTeam,
  { email, name = 'Ada Lovelace', ...role }: { email: string; name?: string } & Record<string, unknown>,
): Promise<string> {
  const invite = await team.management.post(`/v1/org/${team.orgId}/invite`, { email, ...role });
  const token = String(invite.json.invite_url).split('#')[1];
  const accepted = await service.client({}).post('/v1/invite/accept', { token, name });
  if (accepted.status !== 200) throw new Error(`No member: ${accepted.text}`);
  return accepted.json.member.id;
}

/** Creates a member without an invite, which a service with a mail server would e-mail; returns the id. */
export async function addMember(
  service: TestService,
  orgId: string,
  { email, role = 'no_role' }: { readonly email: string; readonly role?: string },
): Promise<string> {
  const id = newId();
  await service.ownerPool.query(
    `insert into organization_member (id, org_id, email, name, role, created_at)
      values ($1, $2, $3, 'Ada Lovelace', $4, now())`,
    [id, orgId, email, role],
  );
  return id;
}

/** A client with the cookie and the CSRF token of a new session of the member. */
export async function signedIn(service: TestService, memberId: string): Promise<ApiClient> {
  const { cookie, csrfToken } = await openSession(service.app, memberId, {
    method: 'password',
    address: '192.0.2.1',
    userAgent: 'Test browser',
  });
  return service.client({ cookie: cookiePair(cookie), 'x-csrf-token': csrfToken });
}

/** The `name=value` of a Set-Cookie header, as a browser sends it back. */
export const cookiePair = (setCookie: string): string => setCookie.split(';', 1)[0] ?? '';

const CALLS_AT_ONCE = 16;

/** Runs an action for every item, some at once. */
export async function inParallel<T>(
  items: readonly T[],
  action: (item: T) => Promise<unknown>,
): Promise<void> {
  const left = [...items];
  const work = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await action(item);
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work));
}
