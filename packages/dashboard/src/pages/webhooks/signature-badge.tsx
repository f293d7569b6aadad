import { Badge } from '@mantine/core';
import type { components } from '../../api/openapi.d.ts';

type Verification = components['schemas']['ReceivedWebhook']['verification'];

const MEANINGS: Readonly<Record<Verification, readonly [text: string, color: string, title: string]>> = {
  valid: ['valid', 'teal', 'Signed with the secret of this endpoint, within five minutes'],
  missing: ['missing', 'yellow', 'Without the headers webhook-id, webhook-timestamp and webhook-signature'],
  expired: ['too old', 'red', 'The signature fits, but its timestamp is more than five minutes away'],
  invalid: ['invalid', 'red', 'No signature fits the secret of this endpoint'],
};

export function SignatureBadge({ verification }: { readonly verification: Verification }) {
  const [text, color, title] = MEANINGS[verification];
  return (
    <Badge variant="light" color={color} tt="none" fw={500} radius="sm" miw="max-content" title={title}>
      {text}
    </Badge>
  );
}
