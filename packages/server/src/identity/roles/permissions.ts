import type { AssignableRole } from './role.ts';

/** Which roles have a permission. An owner has every permission. */
export interface PermissionRule {
  /** What it permits, as a phrase after "may". */
  readonly description: string;
  /** Have it in both environments. */
  readonly roles: readonly AssignableRole[];
  /** Have it in sandbox only. */
  readonly sandboxRoles: readonly AssignableRole[];
  /**
   * The member must have authenticated within the last five minutes. `export`: only for the response that is a file
   * with the whole log.
   */
  readonly recent: boolean | 'export';
}

/** The letters of the table below. */
const LETTERS: Readonly<Record<string, AssignableRole>> = {
  A: 'administrator',
  D: 'developer',
  O: 'operations',
  C: 'clinician',
  R: 'readonly',
  S: 'support',
};

/** `A O | D`: administrators and operations in both environments, developers in sandbox only. */
function permit(
  letters: string,
  description: string,
  recent: PermissionRule['recent'] = false,
): PermissionRule {
  const [everywhere = '', sandbox = ''] = letters.split('|');
  return { description, roles: toRoles(everywhere), sandboxRoles: toRoles(sandbox), recent };
}

const toRoles = (letters: string): AssignableRole[] =>
  [...letters.replaceAll(' ', '')].map((letter) => {
    const role = LETTERS[letter];
    if (!role) throw new Error(`No role has the letter ${letter}`);
    return role;
  });

/**
 * Who may do what. Three rules explain most rows:
 * - Developers see patient data in sandbox only. So in production they may neither create keys nor choose where events,
 *   orders and results are sent: either would give them the data indirectly.
 * - Operations orders and ships, but sees no results.
 * - Support sees only responses without patient data. An operation that mixes both is not permitted.
 */
// prettier-ignore
const RULES = {
  'catalog:read':          permit('A D O C R S', 'read catalogs, directories and availability of areas'),
  'catalog:write':         permit('A D O',       'change lab tests and payors'),
  'catalog:import':        permit('A',           'import the catalog that all teams of the deployment share'),
  'users:read':            permit('A O C R | D', 'read users, their demographics and insurance'),
  'users:write':           permit('A O | D',     'create, change and delete users'),
  'users:impersonate':     permit('A | D',       'create tokens that act as a user', true),
  'tokens:read':           permit('A D O',       'list tokens of users and of the team, without their values'),
  'tokens:revoke':         permit('A D O',       'revoke tokens of users and of the team'),
  'orders:read':           permit('A O C R | D', 'read orders, appointments and their documents'),
  'orders:write':          permit('A O | D',     'order, ship, schedule and cancel'),
  'results:read':          permit('A C R | D',   'read results and laboratory reports'),
  'results:decide':        permit('A C | D',     'decide about critical results, unmatched results and laboratory reports'),
  'wearables:read':        permit('A C R | D',   'read data from devices and providers'),
  'wearables:write':       permit('A O | D',     'send data from devices'),
  'connections:read':      permit('A D O C R S', 'read which providers are connected and what was pulled'),
  'connections:write':     permit('A O | D',     'connect and disconnect providers'),
  'connections:import':    permit('A | D',       'import the credentials of connections'),
  'connections:export':    permit('A | D',       'export the credentials of connections', true),
  'team:read':             permit('A D O C R S', 'read the team and counts'),
  'own-views:write':       permit('A D O C R S', 'save filters of its own'),
  'team:write':            permit('A D',         'change settings of the team'),
  'organization:read':     permit('A D O C R S', 'read the organization and its teams'),
  'organization:write':    permit('A',           'change the organization, create and change teams'),
  'organization:delete':   permit('',            'delete teams', true),
  'keys:read':             permit('A D',         'list team keys'),
  'keys:create':           permit('A | D',       'create and rotate team keys and access tokens', true),
  'keys:revoke':           permit('A D',         'revoke team keys', true),
  'management-keys:read':  permit('A',           'list management keys'),
  'management-keys:write': permit('',            'create, change and rotate management keys', true),
  'management-keys:revoke': permit('A',          'revoke management keys', true),
  'members:read':          permit('A',           'list members and invites'),
  'members:write':         permit('A',           'invite, change and remove members', true),
  'sessions:revoke':       permit('A',           'end sessions of members'),
  // Who chooses how members sign in can sign in as any of them.
  'sign-in:read':          permit('A',           'read how members must sign in'),
  'sign-in:write':         permit('',            'change how members must sign in', true),
  // Who connects a directory, or says what its groups may do, decides about every member.
  'directory:read':        permit('A',           'list directory tokens and the groups of the directory'),
  'directory:write':       permit('',            'create and revoke directory tokens, set the roles of groups', true),
  'domains:read':          permit('A',           'read domains'),
  'domains:write':         permit('A',           'add, verify and remove domains'),
  'logs:read':             permit('A',           'read the audit log and the access log', 'export'),
  'requests:read':         permit('A D O S',     'read the log of API requests, which has ids and no values'),
  'break-glass:read':      permit('A',           'list break-glass openings'),
  'break-glass:open':      permit('',            'open the data of a team to a break-glass token', true),
  'break-glass:end':       permit('A',           'end a break-glass opening'),
  'sandbox-clock:read':    permit('A D O C R S', 'read the sandbox clock'),
  'sandbox-clock:write':   permit('A D O',       'move the sandbox clock'),
  'settings:read':         permit('A D',         'read settings of providers, laboratories, endpoints and queries'),
  'settings:write':        permit('A D',         'change pull preferences, scopes and continuous queries'),
  'egress:write':          permit('A | D',       'change where data are sent: endpoints, brokers, laboratories, credentials'),
  'webhook-secrets:read':  permit('A D',         'read and rotate the signing secrets of endpoints', true),
  'delivery:read':         permit('A D O S',     'read endpoints, delivery attempts without bodies, connections to laboratories'),
  'delivery:retry':        permit('A D O',       'send events and laboratory messages again'),
  // The reasons in the list may be free text of a laboratory.
  'lab-messages:read':     permit('A O C R | D', 'list messages from and to laboratories without their bodies'),
  'messages:read':         permit('A | D',       'read the bodies of events, attempts and laboratory messages'),
  'ehr-members:read':      permit('A',           'read members of the EHR integration'),
  'ehr-members:write':     permit('A',           'change members of the EHR integration and open their dashboards'),
  'users:export':          permit('A',           'export everything about a user', true),
  'retention:read':        permit('A D',         'read how long data are kept and what was deleted'),
  'retention:write':       permit('A',           'set how long data are kept', true),
  'data-keys:read':        permit('A',           'read the state of the encryption key'),
  'data-keys:write':       permit('A',           'rotate the encryption key', true),
} as const satisfies Record<string, PermissionRule>;

export type Permission = keyof typeof RULES;
export const PERMISSIONS: Readonly<Record<Permission, PermissionRule>> = RULES;
