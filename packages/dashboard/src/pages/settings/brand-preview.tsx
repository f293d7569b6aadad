import { Alert, Stack, Tabs, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { api, client } from '../../api/client.ts';
import { useTenant } from '../../base/tenant.ts';
import { Section } from '../../components/page.tsx';
import { useObjectUrl } from '../../components/pdf-viewer.tsx';
import { Loaded } from '../../components/states.tsx';
import { LOGO_PATH } from './brand-logo.tsx';
import { HtmlFrame } from './html-frame.tsx';
import { TabList } from '../../components/tab-list.tsx';

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
const TYPING_MS = 400;
const KINDS = [
  { value: 'mail', label: 'Mail' },
  { value: 'page', label: 'Link page' },
  { value: 'pdf', label: 'PDF' },
] as const;
type PreviewKind = (typeof KINDS)[number]['value'];

/** What people see with the fields as they are, rendered by the service with data of no person. */
export function BrandPreview({ draft }: { readonly draft: BrandDraft }) {
  const [kind, setKind] = useState<PreviewKind>('mail');
  const color = /^#[\da-f]{6}$/i.test(draft.color) ? draft.color : FALLBACK;
  const contrast = contrastWithWhite(color);
  return (
    <Section title="Preview">
      <Stack>
        <Tabs
          value={kind}
          onChange={(value) => setKind(KINDS.find((one) => one.value === value)?.value ?? 'mail')}
        >
          <TabList mb={0} aria-label="What is shown">
            {KINDS.map(({ value, label }) => (
              <Tabs.Tab key={value} value={value}>
                {label}
              </Tabs.Tab>
            ))}
          </TabList>
          {KINDS.map(({ value }) => (
            <Tabs.Panel key={value} value={value} pt="sm">
              {value === kind && <PreviewOf kind={kind} draft={draft} />}
            </Tabs.Panel>
          ))}
        </Tabs>
        {contrast < WCAG_AA && (
          <Alert color="yellow" title="This color is too light for white text">
            Its contrast is {contrast.toFixed(1)}; readable text needs {WCAG_AA}. Buttons get dark text
            instead, and documents black headings.
          </Alert>
        )}
      </Stack>
    </Section>
  );
}

function PreviewOf({ kind, draft }: { readonly kind: PreviewKind; readonly draft: BrandDraft }) {
  const { teamId, environment } = useTenant();
  const [settled] = useDebouncedValue(draft, TYPING_MS);
  const logo = api.useQuery('get', LOGO_PATH);
  const preview = useQuery({
    queryKey: ['brand-preview', teamId, environment, kind, settled, logo.data?.stored_at],
    queryFn: async () => {
      const body = { kind, brand_information: toBrandInformation(settled) };
      return (await client.POST('/v1/brand/preview', { body })).data;
    },
    placeholderData: (previous) => (previous?.media_type === MEDIA_TYPES[kind] ? previous : undefined),
  });
  return (
    <Loaded query={preview} lines={8}>
      {(shown) =>
        shown?.media_type === 'application/pdf' ? (
          <PdfPreview base64={shown.content} />
        ) : (
          <HtmlFrame html={shown?.content ?? ''} title={kind === 'mail' ? 'A mail' : 'The link page'} />
        )
      }
    </Loaded>
  );
}

const MEDIA_TYPES = { mail: 'text/html', page: 'text/html', pdf: 'application/pdf' } as const;

/** A half-typed address is left out, so that the preview does not fail at each key. */
const toBrandInformation = ({ name, website, email, contact, address, color }: BrandDraft) => ({
  company_name: name,
  company_website: website,
  ...(/^[^\s@]+@[^\s@]+\.[^\s@]{2,}$/.test(email.trim()) ? { support_email: email.trim() } : {}),
  support_contact: contact,
  company_address: address,
  brand_color: color,
});

function PdfPreview({ base64 }: { readonly base64: string }) {
  const blob = useMemo(() => {
    const bytes = Uint8Array.from(atob(base64), (char) => char.codePointAt(0) ?? 0);
    return new Blob([bytes], { type: 'application/pdf' });
  }, [base64]);
  const url = useObjectUrl(blob);
  if (url === undefined) return null;
  if (!navigator.pdfViewerEnabled) {
    return (
      <Text size="sm">
        This browser cannot show a PDF here. <a href={url}>Open it</a>.
      </Text>
    );
  }
  return <iframe src={url} title="A result report" style={{ width: '100%', height: '60vh', border: 0 }} />;
}

/** The contrast ratio of WCAG 2. */
function contrastWithWhite(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.039_28 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}
