import { InvalidArgumentError, Option, type Command } from 'commander';
import { z } from 'zod';
import { createSignInUrl, removeFactorsByEmail } from '../identity/accounts/accounts.ts';
import { LowerCaseEmail } from '../identity/organizations/organizations.ts';
import { openApp, type BootOptions } from '../service.ts';

/** Lets an operator help members who cannot sign in, directly on the database. */
export function accountsCommand(program: Command, ground: (level?: string) => BootOptions): void {
  const accounts = program.command('accounts').description('The accounts of members');
  withMember(accounts.command('sign-in-url'))
    .description('Print a one-time sign-in URL for a member who is locked out or has no password')
    .addHelpText('after', HELP)
    .action(async (flags: MemberFlags) => printSignInUrl(ground('warn'), flags));
  withMember(accounts.command('remove-second-factor'))
    .description('Remove the authenticator app, passkeys and recovery codes of a member who lost them')
    .addHelpText('after', REMOVAL_HELP)
    .action(async (flags: MemberFlags) => removeSecondFactor(ground('warn'), flags));
}

/** Adds the options that name a member. */
const withMember = (command: Command): Command =>
  command
    .addOption(
      new Option('--email <address>', 'the e-mail address of the member')
        .argParser(parseWith(LowerCaseEmail, 'expected an e-mail address'))
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--org <id>', 'the organization; required if several have such a member').argParser(
        parseWith(z.guid(), 'expected the id of an organization'),
      ),
    );

const HELP = `
The URL works once, within 24 hours, and lets its holder set a new password: give it to the member only. In an
organization without an org_admin, an unknown address becomes its owner. Only one process can use the embedded
database: stop the service first. The URL begins with PUBLIC_URL, or with HOST and PORT.
`;

const REMOVAL_HELP = `
For an owner whom no other owner can help: verify first who asks. The member's sessions end, and the member is told by
e-mail if SMTP_URL is set. Only one process can use the embedded database: stop the service first.
`;

interface MemberFlags {
  readonly email: string;
  readonly org?: string;
}

const parseWith =
  (schema: z.ZodType<string>, expected: string) =>
  (text: string): string => {
    const read = schema.safeParse(text);
    if (read.success) return read.data;
    throw new InvalidArgumentError(expected);
  };

/** Who acts by this command, in the audit log. */
const OPERATOR = { actor: 'operator' };

async function printSignInUrl(given: BootOptions, { email, org }: MemberFlags): Promise<void> {
  const opened = await openApp(given);
  try {
    // With a wrong ENCRYPTION_KEY nobody could use what this creates.
    await opened.app.keyring.check();
    const { url, isNewOwner } = await createSignInUrl(opened.app, { email, orgId: org, by: OPERATOR });
    process.stdout.write(
      [
        ...(isNewOwner ? [`  ${email} is now the owner of the organization.`] : []),
        '  It works once, within 24 hours:',
        '',
        `  ${url}`,
        '',
        '',
      ].join('\n'),
    );
  } finally {
    await opened.close();
  }
}

async function removeSecondFactor(given: BootOptions, { email, org }: MemberFlags): Promise<void> {
  const opened = await openApp(given);
  try {
    await removeFactorsByEmail(opened.app, { email, orgId: org, by: OPERATOR });
    process.stdout.write(`  The second factors of ${email} are removed, and the sessions ended.\n`);
  } finally {
    await opened.close();
  }
}
