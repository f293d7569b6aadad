import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '../../app.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError, requireFound } from '../../platform/errors.ts';
import { lockOrganization, SERVICE_ACTOR, type AuditActor } from '../management/management.ts';
import {
  findMemberByEmail,
  hasAdmin,
  listMembersByEmail,
  makeOwner,
} from '../organizations/organizations.ts';
import { findOnlyOrganization, findOrganizationWithoutOwner } from './link-store.ts';
import { createLink, findLink, linkUrl, type NewLink } from './links.ts';

const fileOf = ({ config }: App): string => join(config.DATA_DIR, 'sign-in-url.txt');

/** The URL by which the first owner of an organization signs in, once. */
export interface OwnerUrl {
  readonly url: string;
  readonly organization: string;
  readonly expiresAt: Date;
  /** Where it is stored; undefined where the data folder cannot be written to. */
  readonly file: string | undefined;
}

/**
 * The sign-in URL for the oldest organization of which no owner has a password or a passkey. It is stored in the data folder;
 * later starts return the same one while it is valid. Undefined, and no file, where no organization needs one.
 */
export async function prepareOwnerUrl(app: App): Promise<OwnerUrl | undefined> {
  const file = fileOf(app);
  const known = await readToken(file);
  const made = await asSystem(app.db, async (tx) => {
    const organization = await findOrganizationWithoutOwner(tx);
    if (!organization) return undefined;
    return { organization, link: await findOrCreate(app, tx, { orgId: organization.id, known }) };
  });
  if (!made) {
    await removeFile(app, file);
    return undefined;
  }
  const { token, expiresAt } = made.link;
  const url = linkUrl(app, token, true);
  const isStored = await storeUrl(app, file, url);
  return { url, organization: made.organization.name, expiresAt, file: isStored ? file : undefined };
}

async function findOrCreate(
  app: App,
  tx: Tx,
  { orgId, known }: { orgId: string; known: string | undefined },
): Promise<NewLink> {
  const valid = known === undefined ? undefined : await findLink(app, tx, known);
  if (known !== undefined && valid?.org_id === orgId && valid.purpose === 'first_owner')
    return { token: known, expiresAt: valid.expires_at };
  return createLink(app, tx, { orgId, memberId: undefined, purpose: 'first_owner', by: SERVICE_ACTOR });
}

/** Undefined without a file, or if it has something else in it. */
async function readToken(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return /#owner\.([\w-]{43})\s*$/.exec(text)?.[1];
}

/** A folder that cannot be written to is no reason not to start: the operator has a command for the same. */
async function storeUrl(app: App, file: string, url: string): Promise<boolean> {
  try {
    // A left-over file would keep its mode.
    await rm(`${file}.new`, { force: true });
    await writeFile(`${file}.new`, `${url}\n`, { mode: 0o600, flag: 'wx', flush: true });
    await rename(`${file}.new`, file);
    return true;
  } catch (error) {
    app.log.warn({ file, err: error }, 'the sign-in URL of the owner cannot be stored');
    return false;
  }
}

/** Removes the stored URL once it was used. Other nodes remove theirs with their next start. */
export async function forgetOwnerUrl(app: App, token: string): Promise<void> {
  const file = fileOf(app);
  if ((await readToken(file)) === token) await removeFile(app, file);
}

const removeFile = (app: App, file: string): Promise<void> =>
  rm(file, { force: true }).catch((error: unknown) =>
    app.log.warn({ file, err: error }, 'the used sign-in URL cannot be deleted'),
  );

interface SignInUrl {
  readonly url: string;
  readonly expiresAt: Date;
  /** Whether the address became the owner of an organization that had none. */
  readonly isNewOwner: boolean;
}

/**
 * A sign-in URL for a member who is locked out or has no password. An unknown address becomes the owner of an
 * organization that has no org_admin, and is a 404 elsewhere.
 */
export function createSignInUrl(
  app: App,
  { email, orgId, by }: { email: string; orgId: string | undefined; by: AuditActor },
): Promise<SignInUrl> {
  return asSystem(app.db, async (tx) => {
    const org = orgId ?? (await findOrganization(tx, email));
    requireFound(await lockOrganization(tx, org), 'Organization');
    const known = await findMemberByEmail(tx, org, email);
    if (!known && (await hasAdmin(tx, org)))
      throw new DomainError('not_found', 'No member has this e-mail address: an org_admin can invite it');
    const [name = email] = email.split('@');
    const { id: memberId } = known ?? (await makeOwner(app, tx, { orgId: org, email, name, by }));
    const { token, expiresAt } = await createLink(app, tx, { orgId: org, memberId, purpose: 'sign_in', by });
    return { url: linkUrl(app, token), expiresAt, isNewOwner: !known };
  });
}

async function findOrganization(tx: Tx, email: string): Promise<string> {
  const members = await listMembersByEmail(tx, email, 2);
  if (members.length > 1)
    throw new DomainError('conflict', 'Members of several organizations have this address: choose one');
  const found = members[0]?.org_id ?? (await findOnlyOrganization(tx));
  if (found !== undefined) return found;
  throw new DomainError(
    'not_found',
    'No member has this e-mail address, and there is not exactly one organization',
  );
}
