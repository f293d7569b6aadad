import { InvalidArgumentError, Option, type Command } from 'commander';
import { z } from 'zod';
import type { BootOptions } from '../service.ts';
import { runOperation } from './run-operation.ts';

/** Lets an operator help members who cannot sign in. */
export function accountsCommand(program: Command, ground: (level?: string) => BootOptions): void {
  const accounts = program.command('accounts').description('The accounts of members');
  withMember(accounts.command('sign-in-url'))
    .description('Print a one-time sign-in URL for a member who is locked out or has no password')
    .addHelpText('after', HELP)
    .action(async (flags: MemberFlags) => runOperation(ground('warn'), 'accounts sign-in-url', flags));
  withMember(accounts.command('remove-second-factor'))
    .description('Remove the authenticator app, passkeys and recovery codes of a member who lost them')
    .addHelpText('after', REMOVAL_HELP)
    .action(async (flags: MemberFlags) =>
      runOperation(ground('warn'), 'accounts remove-second-factor', flags),
    );
}

/** Adds the options that name a member. */
const withMember = (command: Command): Command =>
  command
    .addOption(
      new Option('--email <address>', 'the e-mail address of the member')
        .argParser(parseWith(z.email(), 'expected an e-mail address'))
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--org <id>', 'the organization; required if several have such a member').argParser(
        parseWith(z.guid(), 'expected the id of an organization'),
      ),
    );

const HELP = `
The URL works once, within 24 hours, and lets its holder set a new password: give it to the member only. In an
organization without an org_admin, an unknown address becomes its owner. The URL begins with PUBLIC_URL, or with HOST
and PORT, of the running service of DATA_DIR if there is one.
`;

const REMOVAL_HELP = `
For an owner whom no other owner can help: verify first who asks. The member's sessions end, and the member is told by
e-mail if SMTP_URL is set.
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
