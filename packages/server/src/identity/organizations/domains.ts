import { randomBytes } from 'node:crypto';
import { DnsLookupError } from '../../adapters/dns/port.ts';
import type { App } from '../../app.ts';
import { writeAuditEntry, lockOrganization, type AuditActor } from '../management/management.ts';
import { asSystem, isUniqueViolation } from '../../platform/db/transact.ts';
import { DomainError, requireFound } from '../../platform/errors.ts';
import { listConnectionsWithDomain } from '../sso-connections/sso-connections.ts';
import { newId } from '../../platform/ids.ts';
import { sendMailNow } from './send-mail-now.ts';
import { toVerificationRecord, type VerificationRecord } from './domain-name.ts';
import * as store from './domain-store.ts';
import type { DomainStatus } from './table.ts';

/** The limit per organization; the list has no pages. */
export const DOMAINS_MAX = 100;
const TOKEN_BYTES = 24;
const RETRY_SECONDS = 30;

interface DomainCommand {
  readonly orgId: string;
  readonly id: string;
  readonly by: AuditActor;
}

/** Adds an unverified domain. 409 when the organization already has it, or has too many. */
export function addDomain(
  app: App,
  { orgId, domain, by }: { orgId: string; domain: string; by: AuditActor },
): Promise<store.DomainRow> {
  return asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    if (await store.findDomainByName(tx, orgId, domain)) {
      throw new DomainError('conflict', `The organization already has the domain ${domain}`);
    }
    const all = await store.listDomains(tx, orgId, DOMAINS_MAX);
    if (all.length >= DOMAINS_MAX) {
      throw new DomainError('conflict', `The organization already has the maximum of ${DOMAINS_MAX} domains`);
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
    await writeAuditEntry(tx, {
      ...by,
      orgId,
      action: 'domain.create',
      subject: row.id,
      after: { domain },
      at,
    });
    return row;
  });
}

export const getDomain = (app: App, { orgId, id }: { orgId: string; id: string }): Promise<store.DomainRow> =>
  asSystem(app.db, async (tx) => requireFound(await store.findDomain(tx, orgId, id), 'Domain'));

/** Removes a domain and its verification. 409 while a connection for single sign-on uses it. */
export function removeDomain(app: App, { orgId, id, by }: DomainCommand): Promise<void> {
  return asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const { domain, status, ...row } = requireFound(await store.findDomain(tx, orgId, id), 'Domain');
    const [name] = await listConnectionsWithDomain(tx, orgId, domain);
    if (name !== undefined)
      throw new DomainError(
        'conflict',
        `The single sign-on connection "${name}" uses ${domain}: an owner must remove it there first`,
      );
    await store.deleteDomain(tx, row.id);
    const deed = {
      action: 'domain.delete',
      subject: row.id,
      before: { domain, status },
      at: app.clock.now(),
    };
    await writeAuditEntry(tx, { ...by, orgId, ...deed });
  });
}

/** Whether the domain is verified, and if not, what is missing. */
interface DomainVerification {
  readonly status: 'verified' | 'pending';
  readonly detail: string | null;
}

/**
 * Looks up the TXT record. A verified domain stays verified and is not checked again. 503 where no name server answers,
 * 409 where another organization has verified the domain.
 */
export async function verifyDomain(app: App, one: DomainCommand): Promise<DomainVerification> {
  const row = await getDomain(app, one);
  if (row.status === 'verified') return { status: 'verified', detail: null };
  const record = toVerificationRecord(app.config.BRAND, row);
  const status = toDomainStatus(await lookUp(app, record.name), record);
  await recordCheck(app, one, { row, status });
  return {
    status: status === 'verified' ? 'verified' : 'pending',
    detail: describeMissingRecord(status, record),
  };
}

async function lookUp(app: App, name: string): Promise<string[]> {
  try {
    return await app.textRecords.resolve(name);
  } catch (error) {
    if (!(error instanceof DnsLookupError)) throw error;
    throw new DomainError(
      'unavailable',
      `The name servers did not answer for ${name} (${error.code}): try again later`,
      RETRY_SECONDS,
    );
  }
}

function toDomainStatus(texts: readonly string[], { value }: VerificationRecord): DomainStatus {
  if (texts.some((text) => text.trim() === value)) return 'verified';
  return texts.length === 0 ? 'pending' : 'failed';
}

function describeMissingRecord(status: DomainStatus, { name, value }: VerificationRecord): string | null {
  if (status === 'verified') return null;
  if (status === 'failed') return `The TXT record ${name} exists, but its value is not ${value}`;
  return `The TXT record ${name} does not exist yet`;
}

/** Stores the result of the check, unless the domain was removed or verified meanwhile. */
async function recordCheck(
  app: App,
  { orgId, by }: DomainCommand,
  { row, status }: { row: store.DomainRow; status: DomainStatus },
): Promise<void> {
  const at = app.clock.now();
  const write = asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const before = requireFound(await store.findDomain(tx, orgId, row.id), 'Domain');
    if (before.status === 'verified') return;
    const verified = status === 'verified' ? { verified_at: at } : {};
    await store.changeDomain(tx, row.id, { status, checked_at: at, ...verified });
    if (status === before.status) return;
    const told = { before: { status: before.status }, after: { domain: row.domain, status } };
    await writeAuditEntry(tx, { ...by, orgId, action: 'domain.verify', subject: row.id, ...told, at });
  });
  await write.catch((error: unknown) => {
    if (!isUniqueViolation(error)) throw error;
    throw new DomainError('conflict', `Another organization has verified the domain ${row.domain}`);
  });
}

/** Mails the DNS record to the given address. False where no mail server is configured. */
export async function sendInstructions(
  app: App,
  { orgId, id, to, by }: DomainCommand & { to: string },
): Promise<boolean> {
  const row = await getDomain(app, { orgId, id });
  const { type, name, value } = toVerificationRecord(app.config.BRAND, row);
  const isSent = await sendMailNow(app, {
    id: `domain-${newId()}`,
    to,
    subject: `DNS record for ${row.domain}`,
    text: [
      `To show that ${row.domain} belongs to your organization, please add this record to its DNS:`,
      `Type:  ${type}\nName:  ${name}\nValue: ${value}`,
      'You can remove the record once the domain is verified.',
    ].join('\n\n'),
  });
  const deed = { action: 'domain.send_instructions', subject: id, after: { sent: isSent } };
  await asSystem(app.db, (tx) => writeAuditEntry(tx, { ...by, orgId, ...deed, at: app.clock.now() }));
  return isSent;
}
