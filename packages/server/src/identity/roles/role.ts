import type { Environment } from '../../platform/tenant.ts';

/** What a member may be given, in the organization or in one team. Ownership is a flag of the member instead. */
export const ASSIGNABLE_ROLES = [
  'administrator',
  'developer',
  'operations',
  'clinician',
  'readonly',
  'support',
] as const;
export type AssignableRole = (typeof ASSIGNABLE_ROLES)[number];

export const ROLES = ['owner', ...ASSIGNABLE_ROLES] as const;
export type Role = (typeof ROLES)[number];

/** A role of a member, and where it holds. */
export interface RoleBinding {
  readonly role: Role;
  /** Null: the whole organization. */
  readonly teamId: string | null;
  /** Null: both environments. */
  readonly environment: Environment | null;
}
