import type { App } from '../../app.ts';
import { DomainError } from '../../platform/errors.ts';
import { inTenant } from '../../platform/work.ts';
import { LinkError } from '../connections/connect.ts';
import { connectDemo, DEMO_SLUGS } from '../demo/demo-connection.ts';
import { consumeToken } from './attempt.ts';
import { listDemos } from './choices.ts';
import { requireToken, type LinkToken } from './token.ts';

/** Connects a demo and consumes the link token. Throws LinkError if not possible. */
export async function connectDemoWithToken(app: App, token: LinkToken, provider: string): Promise<void> {
  const demo = DEMO_SLUGS.find((slug) => slug === provider);
  if (!demo || !listDemos(token).some(({ slug }) => slug === demo)) {
    throw new LinkError('provider_credential_error', `There is no demo of ${provider} with this link`);
  }
  await inTenant(app, token.tenant, async (work) => {
    await requireToken(work, token.row.digest);
    const user = await consumeToken(work, token.row);
    await connectDemo(work, user.id, { provider: demo });
  }).catch((error: unknown) => {
    if (error instanceof DomainError && error.kind === 'bad_request')
      throw new LinkError('duplicate_connection', error.message);
    throw error;
  });
}
