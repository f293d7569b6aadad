import { z } from 'zod';
import { isoTimestamp } from '../../platform/clock.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import type { AccessOverview } from '../roles/roles.ts';
import type { SessionRow } from './session-store.ts';
import type { MemberSession } from './sessions.ts';

export const SessionView = z
  .object({
    session_id: z.uuid().describe('The session.'),
    org_id: z.uuid().describe('The organization of the member.'),
    member: z
      .object({
        id: z.uuid().describe('The member.'),
        name: z.string().describe('The name of the member.'),
        email: z.string().describe('The e-mail address of the member.'),
      })
      .describe('The signed-in member.'),
    authenticated_at: Timestamp.describe('When the member last showed credentials.'),
    csrf_token: z
      .string()
      .describe('To be sent as x-csrf-token with every POST, PUT, PATCH and DELETE of this session.'),
  })
  .meta({ id: 'MemberSession' });

const Permissions = z
  .array(z.string())
  .describe('Permissions, such as `orders:write`; see the page about roles.');

export const AccessView = z
  .object({
    roles: z.array(z.string()).describe('The roles that the member has anywhere.'),
    idle_timeout_minutes: z.int().describe('After so many minutes without a request the session ends.'),
    organization: Permissions.describe('What the member may do in the organization itself.'),
    teams: z
      .array(
        z.object({
          team_id: z.uuid().describe('The team.'),
          name: z.string().describe('The name of the team.'),
          sandbox: Permissions.describe('What the member may do in the sandbox of the team.'),
          production: Permissions.describe('What the member may do in the production of the team.'),
        }),
      )
      .describe('The teams that the member can work in, by name; at most 200.'),
  })
  .meta({ id: 'MemberAccess' });

export const toAccessView = (
  { roles, organization, teams }: AccessOverview,
  idleMinutes: number,
): z.input<typeof AccessView> => ({
  roles: [...roles],
  idle_timeout_minutes: idleMinutes,
  organization: [...organization],
  teams: teams.map(({ id, name, permissions }) => ({
    team_id: id,
    name,
    sandbox: [...permissions.sandbox],
    production: [...permissions.production],
  })),
});

export const SignInPending = z
  .object({
    status: z
      .enum(['second_factor_required', 'enrollment_required'])
      .describe(
        'Whether the member must show a second factor, or enroll one because the organization requires it.',
      ),
    methods: z
      .array(z.enum(['totp', 'passkey', 'recovery_code']))
      .describe(
        'How the member can show a second factor; empty where one must be enrolled. A passkey signs in alone.',
      ),
    expires_at: Timestamp.describe('When the sign-in must be completed.'),
  })
  .meta({ id: 'PendingSignIn' });

export const toSessionView = (session: MemberSession, csrfToken: string): z.input<typeof SessionView> => ({
  session_id: session.sessionId,
  org_id: session.orgId,
  member: { id: session.memberId, name: session.name, email: session.email },
  authenticated_at: isoTimestamp(session.authenticatedAt),
  csrf_token: csrfToken,
});

export const SessionList = z
  .object({
    sessions: z
      .array(
        z.object({
          session_id: z.uuid().describe('The session.'),
          is_current: z.boolean().describe('Whether it is the session of this request.'),
          method: z
            .enum(['password', 'passkey', 'sso', 'link'])
            .describe('How the member signed in; `link` is a one-time link of the operator.'),
          device: z.string().nullable().describe('The User-Agent of the browser or program that signed in.'),
          address: z.string().describe('The IP address that signed in.'),
          created_at: Timestamp.describe('When the member signed in.'),
          last_seen_at: Timestamp.describe('The last request, to within a fifteenth of the idle time-out.'),
          expires_at: Timestamp.describe('When the session ends, however active it is.'),
        }),
      )
      .describe('The active sessions, oldest first.'),
  })
  .meta({ id: 'MemberSessionList' });

export const toSessionListView = (
  rows: readonly SessionRow[],
  currentId?: string,
): z.input<typeof SessionList> => ({
  sessions: rows.map((row) => ({
    session_id: row.id,
    is_current: row.id === currentId,
    method: row.method,
    device: row.user_agent,
    address: row.address,
    created_at: isoTimestamp(row.created_at),
    last_seen_at: isoTimestamp(row.last_seen_at),
    expires_at: isoTimestamp(row.expires_at),
  })),
});
