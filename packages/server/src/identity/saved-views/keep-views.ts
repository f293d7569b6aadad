import type { z } from 'zod';
import { DomainError, requireFound } from '../../platform/errors.ts';
import type { TeamPrincipal } from '../../platform/http/route.ts';
import { newId } from '../../platform/ids.ts';
import type { Work } from '../../platform/work.ts';
import { SavedViewDocument, type ChangeSavedView, type CreateSavedView, type SavedView } from './schema.ts';
import * as store from './store.ts';

const SEAL_CONTEXT = 'saved_view.document';
/** For each owner, team and environment. */
const VIEWS_MAX = 100;

/** Undefined for a token: it expires, and nothing could read its views again. */
const findOwner = ({ kind, keyId }: TeamPrincipal): string | undefined =>
  kind === undefined || kind === 'member' ? keyId : undefined;

/** The owner, or a 403 for a token. */
function requireOwner(principal: TeamPrincipal): string {
  const owner = findOwner(principal);
  if (owner !== undefined) return owner;
  throw new DomainError('forbidden', 'Saved views belong to members and keys: use a session or an API key');
}

export const listSavedViews = async (
  work: Work,
  principal: TeamPrincipal,
  page: string | undefined,
): Promise<SavedView[]> =>
  (await store.listViews(work, requireOwner(principal), page)).map((row) => unseal(work, row));

/** 409 for an owner that has as many views as are allowed. */
export async function createSavedView(
  work: Work,
  principal: TeamPrincipal,
  { page, name, filters }: z.output<typeof CreateSavedView>,
): Promise<SavedView> {
  const ownerId = requireOwner(principal);
  if ((await store.lockAndCountViews(work, ownerId)) >= VIEWS_MAX)
    throw new DomainError(
      'conflict',
      `You have ${VIEWS_MAX} saved views, which is the limit: delete one first`,
    );
  const view = { id: newId(), page, created_at: work.now, updated_at: work.now };
  const document = seal(work, { name, filters });
  const memberId = principal.member?.memberId ?? null;
  await store.insertView(work, { ...view, owner_id: ownerId, member_id: memberId, document });
  return { ...view, name, filters };
}

export async function changeSavedView(
  work: Work,
  principal: TeamPrincipal,
  { id, change }: { id: string; change: z.output<typeof ChangeSavedView> },
): Promise<SavedView> {
  const before = await requireView(work, principal, id);
  const name = change.name ?? before.name;
  const filters = change.filters ?? before.filters;
  const after = { ...before, name, filters, updated_at: work.now };
  await store.updateView(work, {
    id: before.id,
    document: seal(work, { name, filters }),
    updated_at: work.now,
  });
  return after;
}

export async function deleteSavedView(work: Work, principal: TeamPrincipal, id: string): Promise<SavedView> {
  const view = await requireView(work, principal, id);
  await store.deleteView(work, view.id);
  return view;
}

async function requireView(work: Work, principal: TeamPrincipal, id: string): Promise<SavedView> {
  const owner = findOwner(principal);
  const row = owner === undefined ? undefined : await store.findView(work, owner, id);
  return unseal(work, requireFound(row, 'Saved view'));
}

const seal = ({ cipher }: Work, document: SavedViewDocument): Buffer =>
  cipher.seal(JSON.stringify(document), SEAL_CONTEXT);

const unseal = ({ cipher }: Work, row: store.SavedViewRow): SavedView => ({
  id: row.id,
  page: row.page,
  ...SavedViewDocument.parse(JSON.parse(cipher.open(row.document, SEAL_CONTEXT))),
  created_at: row.created_at,
  updated_at: row.updated_at,
});
