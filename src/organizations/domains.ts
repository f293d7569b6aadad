import { randomBytes } from 'node:crypto';
import { LookUpFailed } from '../adapters/dns/port.ts';
import type { App } from '../app.ts';
import { audit, lockOrganization, type Author } from '../management/management.ts';
import { asSystem, errorCode } from '../platform/db/transact.ts';
import { DomainError, found } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { carried } from './carry.ts';
import { recordOf, type DomainRecord } from './domain-name.ts';
import * as store from './domain-store.ts';
import type { DomainStatus } from './table.ts';

/** So many domains an organization may have; they are listed without pages. */
export const DOMAINS_MAX = 100;
const TOKEN_BYTES = 24;
const RETRY_SECONDS = 30;
const UNIQUE_VIOLATION = '23505';

export interface OneDomain {
  readonly orgId: string;
  readonly id: string;
  readonly by: Author;
}

/** Takes a domain up, to be verified. 409 when the organization has it already, or has too many. */
export function addDomain(
  app: App,
  { orgId, domain, by }: { orgId: string; domain: string; by: Author },
): Promise<store.DomainRow> {
  return asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    if (await store.findDomainByName(tx, orgId, domain)) {
      throw new DomainError('conflict', `The organization has the domain ${domain} already`);
    }
    const all = await store.listDomains(tx, orgId, DOMAINS_MAX);
    if (all.length >= DOMAINS_MAX) {
      throw new DomainError('conflict', `An organization has at most ${DOMAINS_MAX} domains`);
    }
    const at = app.clock.now();
    const row: store.DomainRow = {
      id: newId(),
      org_id: orgId,
      domain,
      token: randomBytes(TOKEN_BYTES).toString('base64url'),
      status: 'pending',
      checked_at: null,
      verified_at: null,
      created_at: at,
    };
    await store.insertDomain(tx, row);
    await audit(tx, { ...by, orgId, action: 'domain.create', subject: row.id, after: { domain }, at });
    return row;
  });
}

export const getDomain = (app: App, { orgId, id }: { orgId: string; id: string }): Promise<store.DomainRow> =>
  asSystem(app.db, async (tx) => found(await store.findDomain(tx, orgId, id), 'Domain'));

/** Lets a domain go; it is not verified any more. */
export function removeDomain(app: App, { orgId, id, by }: OneDomain): Promise<void> {
  return asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const { domain, status, ...row } = found(await store.findDomain(tx, orgId, id), 'Domain');
    await store.deleteDomain(tx, row.id);
    const deed = {
      action: 'domain.delete',
      subject: row.id,
      before: { domain, status },
      at: app.clock.now(),
    };
    await audit(tx, { ...by, orgId, ...deed });
  });
}

/** Whether it is verified now, and if not, what is missing. */
export interface Verdict {
  readonly status: 'verified' | 'pending';
  readonly detail: string | null;
}

/**
 * Looks for the TXT record. A domain that was verified stays so and is not looked at again. 503 where no name server
 * answers, 409 where another organization has proved that the domain is its own.
 */
export async function verifyDomain(app: App, one: OneDomain): Promise<Verdict> {
  const row = await getDomain(app, one);
  if (row.status === 'verified') return { status: 'verified', detail: null };
  const record = recordOf(app.config.BRAND, row);
  const status = statusBy(await lookUp(app, record.name), record);
  await note(app, one, { row, status });
  return { status: status === 'verified' ? 'verified' : 'pending', detail: missing(status, record) };
}

async function lookUp(app: App, name: string): Promise<string[]> {
  try {
    return await app.textRecords.of(name);
  } catch (error) {
    if (!(error instanceof LookUpFailed)) throw error;
    throw new DomainError(
      'unavailable',
      `The name servers did not answer for ${name} (${error.code}); try again`,
      RETRY_SECONDS,
    );
  }
}

function statusBy(texts: readonly string[], { value }: DomainRecord): DomainStatus {
  if (texts.some((text) => text.trim() === value)) return 'verified';
  return texts.length === 0 ? 'pending' : 'failed';
}

function missing(status: DomainStatus, { name, value }: DomainRecord): string | null {
  if (status === 'verified') return null;
  if (status === 'failed') return `The TXT record ${name} says something else than ${value}`;
  return `There is no TXT record ${name} so far`;
}

/** Writes down what was found, unless the domain went or was verified meanwhile. */
async function note(
  app: App,
  { orgId, by }: OneDomain,
  { row, status }: { row: store.DomainRow; status: DomainStatus },
): Promise<void> {
  const at = app.clock.now();
  const write = asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const before = found(await store.findDomain(tx, orgId, row.id), 'Domain');
    if (before.status === 'verified') return;
    const verified = status === 'verified' ? { verified_at: at } : {};
    await store.changeDomain(tx, row.id, { status, checked_at: at, ...verified });
    if (status === before.status) return;
    const told = { before: { status: before.status }, after: { domain: row.domain, status } };
    await audit(tx, { ...by, orgId, action: 'domain.verify', subject: row.id, ...told, at });
  });
  await write.catch((error: unknown) => {
    if (errorCode(error) !== UNIQUE_VIOLATION) throw error;
    throw new DomainError('conflict', `Another organization has verified the domain ${row.domain}`);
  });
}

/** Mails what is to be written into the DNS to somebody who can. False where no mail server is connected. */
export async function sendInstructions(
  app: App,
  { orgId, id, to, by }: OneDomain & { to: string },
): Promise<boolean> {
  const row = await getDomain(app, { orgId, id });
  const { type, name, value } = recordOf(app.config.BRAND, row);
  const isSent = await carried(app, {
    id: `domain-${newId()}`,
    to,
    subject: `DNS record for ${row.domain}`,
    text: [
      `To show that ${row.domain} belongs to your organization, please add this record to its DNS:`,
      `Type:  ${type}\nName:  ${name}\nValue: ${value}`,
      'It can be taken away again once the domain is verified.',
    ].join('\n\n'),
  });
  const deed = { action: 'domain.send_instructions', subject: id, after: { sent: isSent } };
  await asSystem(app.db, (tx) => audit(tx, { ...by, orgId, ...deed, at: app.clock.now() }));
  return isSent;
}
