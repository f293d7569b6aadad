import { Alert, Box, Stack, Text } from '@mantine/core';
import { Section } from '../../components/page.tsx';

export interface BrandDraft {
  readonly logo: string;
  readonly name: string;
  readonly website: string;
  readonly email: string;
  readonly contact: string;
  readonly address: string;
  readonly color: string;
}

const FALLBACK = '#1f3a5f';
const WCAG_AA = 4.5;

/** What patients see, as it would be with the fields as they are. The logo is named only: no other host is asked here. */
export function BrandPreview({ draft }: { readonly draft: BrandDraft }) {
  const color = /^#[\da-f]{6}$/i.test(draft.color) ? draft.color : FALLBACK;
  const contrast = contrastWithWhite(color);
  return (
    <Section title="Preview of the link page">
      <Stack>
        <Box
          bg="#ffffff"
          c="#1f2328"
          p="xl"
          style={{
            borderRadius: 12,
            border: '1px solid #d0d7de',
            maxWidth: 360,
            margin: '0 auto',
            width: '100%',
          }}
        >
          <Stack gap="sm" align="center">
            {draft.logo !== '' && (
              <Text size="xs" c="#57606a">
                Your logo
              </Text>
            )}
            <Text fw={700} size="lg" ta="center">
              {draft.name || 'Your company'}
            </Text>
            <Text size="sm" ta="center">
              Connect a device or an app, so that {draft.name || 'your company'} receives its data.
            </Text>
            <Box
              bg={color}
              c={contrast >= WCAG_AA ? '#ffffff' : '#111111'}
              px="lg"
              py={8}
              fw={600}
              style={{ borderRadius: 8 }}
            >
              Connect
            </Box>
            <Text size="xs" ta="center" c="#57606a">
              {[draft.email, draft.contact].filter(Boolean).join(' · ') || 'Your support contact'}
            </Text>
            {draft.address !== '' && (
              <Text size="xs" ta="center" c="#57606a" style={{ whiteSpace: 'pre-line' }}>
                {draft.address}
              </Text>
            )}
          </Stack>
        </Box>
        {contrast < WCAG_AA && (
          <Alert color="yellow" title="This color is too light for white text">
            Its contrast is {contrast.toFixed(1)}; readable text needs {WCAG_AA}. Buttons get dark text
            instead.
          </Alert>
        )}
      </Stack>
    </Section>
  );
}

/** The contrast ratio of WCAG 2. */
function contrastWithWhite(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.039_28 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}
