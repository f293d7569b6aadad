import type { App } from '../../app.ts';
import { lockOrganization, type AuditActor } from '../management/management.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { requireFound } from '../../platform/errors.ts';
import { publicUrl } from '../../platform/public-url.ts';
import { ScimError, versionMismatch } from './scim-error.ts';
import type { DirectoryPrincipal } from './tokens.ts';
import { findLeaders } from './user-store.ts';

/** A request of a directory. */
export interface DirectoryCaller {
  readonly principal: DirectoryPrincipal;
  readonly from: { readonly address: string; readonly requestId: string };
}

/** A request about one resource. */
export interface ResourceCall extends DirectoryCaller {
  readonly id: string;
  /** The If-Match header. */
  readonly ifMatch: string | undefined;
}

/** The author of an audit entry: the directory, by the id of its token. */
export const directoryActor = ({ principal, from }: DirectoryCaller): AuditActor => ({
  actor: `directory:${principal.keyId}`,
  ...from,
});

export const SCIM_PATH = '/scim/v2';

/** The URL of a path of the protocol. */
export const scimUrl =
  ({ config }: App) =>
  (path: string): string =>
    publicUrl(config, `${SCIM_PATH}${path}`);

/** 412 unless the version is one of those in the header. Versions are weak and compared as such. */
export function requireVersion(ifMatch: string | undefined, version: string): void {
  if (ifMatch !== undefined && !includesVersion(ifMatch, version)) throw versionMismatch();
}

/** Whether a header If-Match or If-None-Match names the version. */
export function includesVersion(header: string, version: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return header.split(',').some((tag) => tag.trim() === '*' || opaque(tag) === opaque(version));
}

/**
 * Runs a change of the directory with the organization locked, so that changes follow each other. 409 for one that
 * leaves the organization without an active owner or, if it had none, without an active org_admin.
 */
export function changeDirectory<T>(
  app: App,
  { principal: { orgId } }: DirectoryCaller,
  change: (tx: Tx) => Promise<T>,
): Promise<T> {
  return asSystem(app.db, async (tx) => {
    requireFound(await lockOrganization(tx, orgId), 'Organization');
    return keepLeaders(tx, orgId, () => change(tx));
  });
}

/** Runs a change with the same 409, in a transaction that has locked the organization. */
export async function keepLeaders<T>(tx: Tx, orgId: string, change: () => Promise<T>): Promise<T> {
  const before = await findLeaders(tx, orgId);
  const value = await change();
  const after = await findLeaders(tx, orgId);
  if (before.owner && !after.owner) throw lastLeader('owner');
  if (!before.owner && before.admin && !after.admin) throw lastLeader('org_admin');
  return value;
}

const lastLeader = (role: string) =>
  new ScimError(
    'conflict',
    `This would leave the organization without an active ${role}: make another member ${role} by hand first`,
    {},
  );
