import type { App } from '../../app.ts';
import { DomainError } from '../../platform/errors.ts';
import { inTenant } from '../../platform/work.ts';
import { LinkRefused } from '../connections/connect.ts';
import { connectDemo, DEMO_SLUGS } from '../connections/demo.ts';
import { requireUnused } from './attempt.ts';
import { demosOf } from './choices.ts';
import { requireToken, type LinkToken } from './token.ts';

/** Connects a demonstration with a link token, which is used by it. Throws LinkRefused where that cannot be. */
export async function connectDemonstration(app: App, token: LinkToken, provider: string): Promise<void> {
  const demo = DEMO_SLUGS.find((slug) => slug === provider);
  if (!demo || !demosOf(token).some(({ slug }) => slug === demo)) {
    throw new LinkRefused('provider_credential_error', `${provider} cannot be demonstrated here`);
  }
  await inTenant(app, token.tenant, async (work) => {
    await requireToken(work, token.row.digest);
    const user = await requireUnused(work, token.row);
    await connectDemo(work, user.id, demo);
  }).catch((error: unknown) => {
    if (error instanceof DomainError && error.kind === 'bad_request')
      throw new LinkRefused('duplicate_connection', error.message);
    throw error;
  });
}
