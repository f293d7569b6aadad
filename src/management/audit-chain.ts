import type { App } from '../app.ts';
import { asSystem } from '../platform/db/transact.ts';
import * as store from './audit-store.ts';

/** The line that an auditor wrote down earlier: it has to be there still, with that digest. */
export interface Anchor {
  readonly orgId: string;
  readonly position: number;
  readonly digest: string;
}

/** What is wrong first. `id` is null where the line is not there. */
export interface Break {
  readonly position: number;
  readonly id: string | null;
  readonly why: string;
}

/** The chain of one organization. */
export interface ChainReport {
  readonly orgId: string;
  /** How many lines hold, and the digest of the last of them. */
  readonly lines: number;
  readonly digest: string;
  readonly broken: Break | undefined;
}

/** What a line of the audit log says of a stretch of a team's access log. */
export interface SealedStretch {
  readonly teamId: string | null;
  readonly after: unknown;
}

/** Says what is wrong with the lines of a stretch. */
export type CheckSeal = (app: App, stretch: SealedStretch) => Promise<string | undefined>;

const ORGANIZATIONS = 200;
const LINES = 2000;
const START = Buffer.alloc(32);

/**
 * Reads the audit log of every organization and says of each whether anything was cut out, changed or added; and the
 * same of what it seals, with `checkSeal`.
 */
export async function* verifyAuditLog(
  app: App,
  anchors: readonly Anchor[] = [],
  checkSeal?: CheckSeal,
): AsyncGenerator<ChainReport, void> {
  let after: string | undefined;
  for (;;) {
    const page = await asSystem(app.db, (tx) => store.listHeads(tx, { after, limit: ORGANIZATIONS }));
    for (const { id, position, digest } of page) {
      const head = position === null || digest === null ? undefined : { position, digest };
      const own = anchors.filter(({ orgId }) => orgId === id);
      yield await verifyChain(app, { orgId: id, head, anchors: own, checkSeal });
    }
    after = page.at(-1)?.id;
    if (page.length < ORGANIZATIONS) return;
  }
}

interface Chain {
  readonly orgId: string;
  readonly head: store.Head | undefined;
  readonly anchors: readonly Anchor[];
  readonly checkSeal: CheckSeal | undefined;
}

async function verifyChain(app: App, chain: Chain): Promise<ChainReport> {
  const { orgId, head } = chain;
  let last: store.Head = { position: 0, digest: START };
  const report = (broken: Break | undefined): ChainReport => ({
    orgId,
    lines: last.position,
    digest: last.digest.toString('hex'),
    broken,
  });
  const end = head?.position ?? 0;
  while (last.position < end) {
    const place = { orgId, after: last.position, limit: LINES };
    const links = await asSystem(app.db, (tx) => store.nextLinks(tx, place));
    for (const link of links) {
      // What was written since we looked at the head is for the next time.
      if (link.position > end) break;
      const broken = breakAt(last, link, chain) ?? (await breakBehind(app, link, chain));
      if (broken) return report(broken);
      last = link;
    }
    if (links.length < LINES) break;
  }
  return report(breakAtEnd(last, chain) ?? (await added(app, orgId)));
}

function breakAt(last: store.Head, link: store.Link, { anchors }: Chain): Break | undefined {
  const { id, position, digest } = link;
  const expected = last.position + 1;
  if (position !== expected) return { position: expected, id: null, why: 'the line is missing' };
  if (!link.previous.equals(last.digest)) {
    return { position, id, why: 'the line does not follow the one before it' };
  }
  if (!digest.equals(link.actual)) return { position, id, why: 'the line was changed' };
  const anchor = anchors.find((one) => one.position === position);
  if (anchor && anchor.digest !== digest.toString('hex')) {
    return { position, id, why: 'the line or one before it is not what it was' };
  }
  return undefined;
}

/** A line that is what it was may seal what is not. */
async function breakBehind(app: App, link: store.Link, { checkSeal }: Chain): Promise<Break | undefined> {
  const { id, position, teamId, sealed } = link;
  if (!checkSeal || sealed === null) return undefined;
  const why = await checkSeal(app, { teamId, after: sealed });
  return why === undefined ? undefined : { position, id, why };
}

/** Every organization has a first line, that of its making. */
function breakAtEnd(last: store.Head, { head, anchors }: Chain): Break | undefined {
  const next = { position: last.position + 1, id: null };
  if (!head) return { ...next, why: 'the head of the chain is missing' };
  if (last.position < head.position) {
    return { ...next, why: `the end was cut off: there were ${head.position} lines` };
  }
  if (!last.digest.equals(head.digest)) {
    return { position: last.position, id: null, why: 'the head of the chain names another line' };
  }
  const lost = anchors.find(({ position }) => position > last.position);
  return lost && { ...next, why: `the end was cut off: there were at least ${lost.position} lines` };
}

async function added(app: App, orgId: string): Promise<Break | undefined> {
  const line = await asSystem(app.db, (tx) => store.findBehindHead(tx, orgId));
  return line && { ...line, why: 'the line was added behind the head of the chain' };
}
