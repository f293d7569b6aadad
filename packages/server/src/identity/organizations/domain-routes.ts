import type { App } from '../../app.ts';
import { actorOf, requireOrgKey, type ManagementCaller } from '../management/management.ts';
import { asSystem } from '../../platform/db/transact.ts';
import type { Http } from '../../platform/http/http.ts';
import { respondWith } from '../../platform/http/route.ts';
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

/** The domain in the path; only for Org Management Keys of the organization. */
function toDomainCommand({
  principal,
  from,
  params,
}: ManagementCaller & { params: { org_id: string; domain_id: string } }) {
  requireOrgKey(principal, params.org_id);
  return { orgId: principal.orgId, id: params.domain_id, by: actorOf({ principal, from }) };
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
      summary: 'Add a domain',
      description: 'The response contains the TXT record to add to the DNS of the domain.',
      tag,
      params: OrgId,
      body: CreateDomain,
      response: { 201: DomainView },
    },
    handler: async ({ principal, from, params, body }) => {
      requireOrgKey(principal, params.org_id);
      const by = actorOf({ principal, from });
      const row = await addDomain(app, { orgId: principal.orgId, domain: body.domain, by });
      return respondWith<{ 201: typeof DomainView }, 201>(201, view(row));
    },
  });
}

function one(http: Http, app: App): void {
  http.management.get(DOMAIN, {
    schema: {
      operationId: 'getDomain',
      summary: 'Read a domain and its DNS record',
      tag,
      params: DomainId,
      response: { 200: DomainView },
    },
    handler: async (input) => viewDomain(app.config.BRAND, await getDomain(app, toDomainCommand(input))),
  });

  http.management.delete(DOMAIN, {
    schema: {
      operationId: 'removeDomain',
      summary: 'Remove a domain',
      tag,
      params: DomainId,
      response: { 200: Success },
    },
    handler: async (input) => {
      await removeDomain(app, toDomainCommand(input));
      return { success: true };
    },
  });
}

function verification(http: Http, app: App): void {
  http.management.post(`${DOMAIN}/verify`, {
    schema: {
      operationId: 'verifyDomain',
      summary: 'Verify a domain by its TXT record',
      description:
        'A verified domain stays verified until it is removed. 503 when the name servers do not answer; 409 when ' +
        'another organization has verified the domain.',
      tag,
      params: DomainId,
      response: { 200: VerifiedDomain },
    },
    handler: async (input) => verifyDomain(app, toDomainCommand(input)),
  });

  http.management.post(`${DOMAIN}/send_domain_instructions`, {
    schema: {
      operationId: 'sendDomainInstructions',
      summary: 'E-mail the DNS instructions of a domain',
      tag,
      params: DomainId,
      body: SendInstructions,
      response: { 200: SentInstructions },
    },
    handler: async (input) => {
      const sent = await sendInstructions(app, { ...toDomainCommand(input), to: input.body.to_email });
      return { sent, sendgrid_message_id: null };
    },
  });
}
