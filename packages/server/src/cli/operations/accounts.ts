import { z } from 'zod';
import { createSignInUrl, removeFactorsByEmail } from '../../identity/accounts/accounts.ts';
import { LowerCaseEmail } from '../../identity/organizations/organizations.ts';
import { defineOperation } from './operation.ts';

const Member = z.object({ email: LowerCaseEmail, org: z.guid().optional() });

/** Who acts by this command, in the audit log. */
const OPERATOR = { actor: 'operator' };

export const printSignInUrl = defineOperation(Member, async ({ app, output }, { email, org }) => {
  // With a wrong ENCRYPTION_KEY nobody could use what this creates.
  await app.keyring.check();
  const { url, isNewOwner } = await createSignInUrl(app, { email, orgId: org, by: OPERATOR });
  output.out(
    [
      ...(isNewOwner ? [`  ${email} is now the owner of the organization.`] : []),
      '  It works once, within 24 hours:',
      '',
      `  ${url}`,
      '',
      '',
    ].join('\n'),
  );
});

export const removeSecondFactor = defineOperation(Member, async ({ app, output }, { email, org }) => {
  await removeFactorsByEmail(app, { email, orgId: org, by: OPERATOR });
  output.out(`  The second factors of ${email} are removed, and the sessions ended.\n`);
});
