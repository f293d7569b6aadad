import type { ApiClient, TestService, TestTeam } from './service.ts';

export interface TestDirectory {
  readonly team: TestTeam;
  /** A domain that the organization has verified. */
  readonly domain: string;
  readonly token: string;
  /** Calls with the token of the directory. */
  readonly scim: ApiClient;
  /** Provisions a person with the address `name@domain`; returns the id. */
  addUser(name: string, more?: Record<string, unknown>): Promise<string>;
  setRoles(groupId: string, roles: readonly Record<string, unknown>[]): Promise<void>;
}

let domains = 0;

/** An organization with a verified domain and a directory. */
export async function openDirectory(service: TestService): Promise<TestDirectory> {
  const team = await service.team();
  const domain = `directory-${(domains += 1)}.example`;
  const base = `/v1/org/${team.orgId}`;
  await team.management.post(`${base}/domain`, { domain });
  await service.ownerPool.query(
    `update organization_domain set status = 'verified', verified_at = now() where domain = $1`,
    [domain],
  );
  const { json } = await team.management.post(`${base}/directory_token`, { label: 'Directory' });
  const token = String(json.value);
  const scim = service.client({ authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' });
  return {
    team,
    domain,
    token,
    scim,
    addUser: async (name, more = {}) => {
      const made = await scim.post('/scim/v2/Users', { userName: `${name}@${domain}`, ...more });
      if (made.status !== 201) throw new Error(`No user: ${made.text}`);
      return made.json.id;
    },
    setRoles: async (groupId, roles) => {
      const set = await team.management.put(`${base}/directory_group/${groupId}/roles`, { roles });
      if (set.status !== 200) throw new Error(`No roles: ${set.text}`);
    },
  };
}
