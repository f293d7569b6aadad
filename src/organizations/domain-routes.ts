import type { App } from '../app.ts';
import { authorOf, requireOrgKey, type Caller } from '../management/management.ts';
import { asSystem } from '../platform/db/transact.ts';
import type { Http } from '../platform/http/http.ts';
import { answer } from '../platform/http/route.ts';
import { listDomains } from './domain-store.ts';
import {
  addDomain,
  DOMAINS_MAX,
  getDomain,
  removeDomain,
  sendInstructions,
  verifyDomain,
} from './domains.ts';
import {
  CreateDomain,
  DomainId,
  DomainList,
  DomainView,
  OrgId,
  SendInstructions,
  SentInstructions,
  Success,
  VerifiedDomain,
  viewDomain,
} from './schema.ts';

const tag = 'Management';
const DOMAINS = '/v1/org/:org_id/domain';
const DOMAIN = `${DOMAINS}/:domain_id`;

/** The domains of the organization; for Org Management Keys only. */
export function domainRoutes(http: Http, app: App): void {
  collection(http, app);
  one(http, app);
  verification(http, app);
}

/** The domain that the path names, for whoever may act for the organization. */
function named({ principal, from, params }: Caller & { params: { org_id: string; domain_id: string } }) {
  requireOrgKey(principal, params.org_id);
  return { orgId: principal.orgId, id: params.domain_id, by: authorOf({ principal, from }) };
}

function collection(http: Http, app: App): void {
  const view = viewDomain.bind(undefined, app.config.BRAND);
  http.management.get(DOMAINS, {
    schema: {
      operationId: 'listDomains',
      summary: 'List the domains of the organization',
      tag,
      params: OrgId,
      response: { 200: DomainList },
    },
    handler: async ({ principal, params }) => {
      requireOrgKey(principal, params.org_id);
      const rows = await asSystem(app.db, (tx) => listDomains(tx, principal.orgId, DOMAINS_MAX));
      return { data: rows.map(view) };
    },
  });

  http.management.post(DOMAINS, {
    schema: {
      operationId: 'addDomain',
      summary: 'Take a domain up, to be verified by a TXT record',
      description: 'The answer says which record is to be written into the DNS of the domain.',
      tag,
      params: OrgId,
      body: CreateDomain,
      response: { 201: DomainView },
    },
    handler: async ({ principal, from, params, body }) => {
      requireOrgKey(principal, params.org_id);
      const by = authorOf({ principal, from });
      const row = await addDomain(app, { orgId: principal.orgId, domain: body.domain, by });
      return answer<{ 201: typeof DomainView }, 201>(201, view(row));
    },
  });
}

function one(http: Http, app: App): void {
  http.management.get(DOMAIN, {
    schema: {
      operationId: 'getDomain',
      summary: 'Read a domain, and the record that verifies it',
      tag,
      params: DomainId,
      response: { 200: DomainView },
    },
    handler: async (input) => viewDomain(app.config.BRAND, await getDomain(app, named(input))),
  });

  http.management.delete(DOMAIN, {
    schema: {
      operationId: 'removeDomain',
      summary: 'Let a domain go',
      tag,
      params: DomainId,
      response: { 200: Success },
    },
    handler: async (input) => {
      await removeDomain(app, named(input));
      return { success: true };
    },
  });
}

function verification(http: Http, app: App): void {
  http.management.post(`${DOMAIN}/verify`, {
    schema: {
      operationId: 'verifyDomain',
      summary: 'Look for the TXT record of a domain',
      description:
        'Once verified, a domain stays so until it is removed. 503 where the name servers do not answer; ' +
        '409 where another organization has verified the domain.',
      tag,
      params: DomainId,
      response: { 200: VerifiedDomain },
    },
    handler: async (input) => verifyDomain(app, named(input)),
  });

  http.management.post(`${DOMAIN}/send_domain_instructions`, {
    schema: {
      operationId: 'sendDomainInstructions',
      summary: 'Mail the TXT record of a domain to somebody who can write it',
      tag,
      params: DomainId,
      body: SendInstructions,
      response: { 200: SentInstructions },
    },
    handler: async (input) => {
      const sent = await sendInstructions(app, { ...named(input), to: input.body.to_email });
      return { sent, sendgrid_message_id: null };
    },
  });
}
