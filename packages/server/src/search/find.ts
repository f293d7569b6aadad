import { nameKey } from '../ordering/orders/orders.ts';
import { publicStatus } from '../ordering/orders/status.ts';
import type { Work } from '../platform/work.ts';
import { findNames, findUserByEmail } from '../users/users/users.ts';
import type { SearchKind, SearchResultView } from './schema.ts';
import * as store from './search-store.ts';

interface SearchRule {
  /** The operation that reads one of them: whoever may call it may find them. */
  readonly readBy: { readonly operation: string; readonly tag: string };
  readonly find: (work: Work, terms: store.SearchTerms) => Promise<SearchResultView[]>;
}

/** How each kind is found, and who may. Each is answered by indexes, whatever the number of users and orders. */
// prettier-ignore
export const SEARCH_RULES: Readonly<Record<SearchKind, SearchRule>> = {
  user:     { find: findUsers,     readBy: { operation: 'getUser',     tag: 'Users' } },
  order:    { find: findOrders,    readBy: { operation: 'getOrder',    tag: 'Orders' } },
  lab_test: { find: findLabTests,  readBy: { operation: 'getLabTest',  tag: 'Lab tests' } },
  marker:   { find: findMarkers,   readBy: { operation: 'listMarkers', tag: 'Lab tests' } },
  // No area of keys has this tag: endpoints are read with a management key or by members.
  endpoint: { find: findEndpoints, readBy: { operation: 'getWebhook',  tag: 'Endpoints' } },
};

/** Prepares a text for the indexes. */
export const toSearchTerms = (text: string, limit: number): store.SearchTerms => {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu);
  return {
    text,
    idRange: toIdRange(text),
    nameKey: nameKey(text) || null,
    words: words && words.map((word) => `${word}:*`).join(' & '),
    limit,
  };
};

const ID_DIGITS = 32;
const ID_PREFIX = /^[0-9a-f]{2,8}(?:-[0-9a-f]{0,4}){0,3}(?:-[0-9a-f]{0,12})?$/i;

/** The ids that begin with a text; null for a text that is not the beginning of an id. */
function toIdRange(text: string): store.IdRange | null {
  if (!ID_PREFIX.test(text)) return null;
  const digits = text.replaceAll('-', '').toLowerCase();
  return { from: digits.padEnd(ID_DIGITS, '0'), to: digits.padEnd(ID_DIGITS, 'f') };
}

async function findUsers(work: Work, terms: store.SearchTerms): Promise<SearchResultView[]> {
  const ids = await store.findUserIds(work, terms);
  const byEmail = terms.text.includes('@') ? await findUserByEmail(work, terms.text) : undefined;
  const wanted = [...new Set([...(byEmail ? [byEmail.id] : []), ...ids])].slice(0, terms.limit);
  const [users, names] = await Promise.all([store.readFoundUsers(work, wanted), findNames(work, wanted)]);
  return users.map(({ id, client_user_id: clientUserId }) => ({
    kind: 'user',
    id,
    title: names.get(id) ?? clientUserId,
    detail: clientUserId,
    user_id: null,
  }));
}

async function findOrders(work: Work, terms: store.SearchTerms): Promise<SearchResultView[]> {
  const orders = await store.findOrders(work, terms);
  return orders.map(({ id, user_id, modality, step, test_name: name }) => ({
    kind: 'order',
    id,
    title: name ?? id,
    detail: publicStatus(modality, step),
    user_id,
  }));
}

const inCatalog =
  (kind: 'lab_test' | 'marker') =>
  ({ id, name, lab_slug: detail }: store.FoundInCatalog): SearchResultView => ({
    kind,
    id,
    title: name,
    detail,
    user_id: null,
  });

async function findLabTests(work: Work, terms: store.SearchTerms): Promise<SearchResultView[]> {
  return (await store.findLabTests(work, terms)).map(inCatalog('lab_test'));
}

async function findMarkers(work: Work, terms: store.SearchTerms): Promise<SearchResultView[]> {
  return (await store.findMarkers(work, terms)).map(inCatalog('marker'));
}

async function findEndpoints(work: Work, terms: store.SearchTerms): Promise<SearchResultView[]> {
  const endpoints = await store.findEndpoints(work, terms);
  return endpoints.map(({ id, url: title, is_disabled: isDisabled }) => ({
    kind: 'endpoint',
    id,
    title,
    detail: isDisabled ? 'disabled' : null,
    user_id: null,
  }));
}
