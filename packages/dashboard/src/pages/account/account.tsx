import { Group, Text } from '@mantine/core';
import { useSession } from '../../api/session.ts';
import { PageFrame, Section } from '../../components/page.tsx';
import { CopyId, EmailText, KeyValues } from '../../components/values.tsx';
import { EmailForm, PendingEmail } from './email-form.tsx';
import { NameForm } from './name-form.tsx';
import { Passkeys } from './passkeys.tsx';
import { PasswordForm } from './password-form.tsx';
import { SecondFactor } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';

export function Page() {
  const signedIn = useSession().data;
  if (!signedIn) return null;
  const { session, access } = signedIn;
  return (
    <PageFrame title="Your account" description="How you sign in, and where you are signed in.">
      <Section
        title="You"
        actions={
          <Group gap="xs">
            <NameForm name={session.member.name} />
            <EmailForm email={session.member.email} />
          </Group>
        }
      >
        <KeyValues
          rows={[
            ['Name', session.member.name],
            ['E-mail', <EmailText key="email" email={session.member.email} />],
            ['Roles', access.roles.join(', ') || 'None'],
            ['Member', <CopyId key="member" id={session.member.id} />],
            ['Organization', <CopyId key="organization" id={session.org_id} />],
          ]}
        />
        <PendingEmail />
        <Text size="xs" c="dimmed" mt="xs">
          Your administrator gives roles. You are signed out after {access.idle_timeout_minutes} minutes
          without use.
        </Text>
      </Section>
      <PasswordForm />
      <SecondFactor />
      <Passkeys />
      <Sessions />
    </PageFrame>
  );
}
