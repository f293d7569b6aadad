import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import * as store from './audit-store.ts';

/** A position and digest that an auditor recorded earlier; the log must still contain both. */
export interface AuditAnchor {
  readonly orgId: string;
  readonly position: number;
  readonly digest: string;
}

/** The first fault of a chain. `id` is null where the entry is missing. */
interface ChainBreak {
  readonly position: number;
  readonly id: string | null;
  readonly reason: string;
}

/** The result for the hash chain of one organization. */
export interface AuditChainReport {
  readonly orgId: string;
  /** The number of valid entries, and the digest of the last one. */
  readonly lines: number;
  readonly digest: string;
  readonly broken: ChainBreak | undefined;
}

/** An audit entry that seals a range of a team's access log. */
export interface AccessLogSeal {
  readonly teamId: string | null;
  readonly after: unknown;
}

/** Compares the access log with its seals. Each method describes the first fault; undefined where there is none. */
export interface SealVerifier {
  verifySeal(app: App, seal: AccessLogSeal): Promise<string | undefined>;
  /** The part of an organization's access log that no seal covers. */
  verifyUnsealed(app: App, orgId: string): Promise<string | undefined>;
}

const ORGANIZATIONS_PER_PAGE = 200;
const ENTRIES_PER_PAGE = 2000;
const INITIAL_DIGEST = Buffer.alloc(32);

/**
 * Verifies the audit log of every organization: that no entry was removed, changed or added. Each entry has the
 * digest of the previous one and its own; the chain head is stored separately. With `checkSeal`, also verifies the
 * access log that the entries seal. Reports only the first fault of an organization.
 */
export async function* verifyAuditLog(
  app: App,
  anchors: readonly AuditAnchor[] = [],
  checkSeal?: SealVerifier,
): AsyncGenerator<AuditChainReport, void> {
  let after: string | undefined;
  for (;;) {
    const page = await asSystem(app.db, (tx) =>
      store.listChainHeads(tx, { after, limit: ORGANIZATIONS_PER_PAGE }),
    );
    for (const { id, position, digest } of page) {
      const head = position === null || digest === null ? undefined : { position, digest };
      const own = anchors.filter(({ orgId }) => orgId === id);
      yield await verifyChain(app, { orgId: id, head, anchors: own, checkSeal });
    }
    after = page.at(-1)?.id;
    if (page.length < ORGANIZATIONS_PER_PAGE) return;
  }
}

interface AuditChain {
  readonly orgId: string;
  readonly head: store.ChainHead | undefined;
  readonly anchors: readonly AuditAnchor[];
  readonly checkSeal: SealVerifier | undefined;
}

async function verifyChain(app: App, chain: AuditChain): Promise<AuditChainReport> {
  const { orgId, head } = chain;
  let last: store.ChainHead = { position: 0, digest: INITIAL_DIGEST };
  const report = (broken: ChainBreak | undefined): AuditChainReport => ({
    orgId,
    lines: last.position,
    digest: last.digest.toString('hex'),
    broken,
  });
  const end = head?.position ?? 0;
  while (last.position < end) {
    const place = { orgId, after: last.position, limit: ENTRIES_PER_PAGE };
    const links = await asSystem(app.db, (tx) => store.listLinksAfter(tx, place));
    for (const link of links) {
      // Entries newer than the head that was read are verified by the next run.
      if (link.position > end) break;
      const broken = findBreakAt(last, link, chain) ?? (await findBrokenSeal(app, link, chain));
      if (broken) return report(broken);
      last = link;
    }
    if (links.length < ENTRIES_PER_PAGE) break;
  }
  return report(
    findBreakAtEnd(last, chain) ??
      (await findExtraEntry(app, orgId)) ??
      (await findUnsealedFault(app, last, chain)),
  );
}

function findBreakAt(
  last: store.ChainHead,
  link: store.ChainLink,
  { anchors }: AuditChain,
): ChainBreak | undefined {
  const { id, position, digest } = link;
  const expected = last.position + 1;
  if (position !== expected) return { position: expected, id: null, reason: 'the line is missing' };
  if (!link.previous.equals(last.digest)) {
    return { position, id, reason: 'the line does not match the digest of the previous line' };
  }
  if (!digest.equals(link.actual)) return { position, id, reason: 'the line was changed' };
  const anchor = anchors.find((one) => one.position === position);
  if (anchor && anchor.digest !== digest.toString('hex')) {
    return { position, id, reason: 'this line or an earlier one was changed since its digest was recorded' };
  }
  return undefined;
}

/** A valid entry may seal access log entries that were changed. */
async function findBrokenSeal(
  app: App,
  link: store.ChainLink,
  { checkSeal }: AuditChain,
): Promise<ChainBreak | undefined> {
  const { id, position, teamId, sealed } = link;
  if (!checkSeal || sealed === null) return undefined;
  const why = await checkSeal.verifySeal(app, { teamId, after: sealed });
  return why === undefined ? undefined : { position, id, reason: why };
}

/** Every organization has at least the entry of its creation, so a missing head is always a fault. */
function findBreakAtEnd(last: store.ChainHead, { head, anchors }: AuditChain): ChainBreak | undefined {
  const next = { position: last.position + 1, id: null };
  if (!head) return { ...next, reason: 'the head of the chain is missing' };
  if (last.position < head.position) {
    return { ...next, reason: `the end was cut off: there were ${head.position} lines` };
  }
  if (!last.digest.equals(head.digest)) {
    return {
      position: last.position,
      id: null,
      reason: 'the head of the chain does not match the last line',
    };
  }
  const lost = anchors.find(({ position }) => position > last.position);
  return lost && { ...next, reason: `the end was cut off: there were at least ${lost.position} lines` };
}

async function findExtraEntry(app: App, orgId: string): Promise<ChainBreak | undefined> {
  const line = await asSystem(app.db, (tx) => store.findEntryBeyondHead(tx, orgId));
  return line && { ...line, reason: 'the line was added after the head of the chain' };
}

async function findUnsealedFault(
  app: App,
  { position }: store.ChainHead,
  { orgId, checkSeal }: AuditChain,
): Promise<ChainBreak | undefined> {
  const reason = await checkSeal?.verifyUnsealed(app, orgId);
  return reason === undefined ? undefined : { position, id: null, reason };
}
