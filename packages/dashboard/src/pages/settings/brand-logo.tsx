import { Button, FileButton, Group, Image, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, client, fetchFile } from '../../api/client.ts';
import { useTenant } from '../../base/tenant.ts';
import { Section } from '../../components/page.tsx';
import { useObjectUrl } from '../../components/pdf-viewer.tsx';
import { Loaded } from '../../components/states.tsx';
import { useAction } from '../../components/use-action.ts';

export const LOGO_PATH = '/v1/brand/logo';
const IMAGE_PATH = `${LOGO_PATH}/image`;
const ACCEPTED = 'image/png,image/jpeg,image/webp';

/** The stored logo: where it is from, why it is missing, and a way to upload another one. */
export function BrandLogoSection({ mayChange }: { readonly mayChange: boolean }) {
  const logo = api.useQuery('get', LOGO_PATH);
  const { run, isBusy } = useAction([LOGO_PATH]);
  const upload = (file: File | null) => {
    if (!file) return;
    const form = new FormData();
    form.set('file', file);
    void run(
      () => client.POST(LOGO_PATH, { body: { file: [] }, bodySerializer: () => form }),
      'The logo is stored.',
    );
  };
  return (
    <Section title="Logo">
      <Loaded query={logo} lines={3}>
        {(stored) => (
          <Stack gap="sm">
            {stored.state === 'stored' && <LogoImage version={stored.stored_at ?? ''} />}
            <Text size="sm" role="status">
              {stateText(stored)}
            </Text>
            {mayChange && (
              <Group>
                <FileButton onChange={upload} accept={ACCEPTED} inputProps={{ 'aria-label': 'Logo file' }}>
                  {(props) => (
                    <Button {...props} variant="default" loading={isBusy}>
                      Upload a logo
                    </Button>
                  )}
                </FileButton>
                {stored.state !== 'none' && (
                  <Button
                    variant="subtle"
                    loading={isBusy}
                    onClick={() => void run(() => client.DELETE(LOGO_PATH))}
                  >
                    {stored.source === 'url' ? 'Fetch again' : 'Remove the logo'}
                  </Button>
                )}
              </Group>
            )}
            <Text size="xs" c="dimmed">
              PNG, JPEG or WebP, at most 512 KB and 1,000,000 pixels. Documents show PNG and JPEG only.
            </Text>
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}

/** The image comes from the API with the session, because an image element sends none. */
function LogoImage({ version }: { readonly version: string }) {
  const { teamId, environment } = useTenant();
  const image = useQuery({
    queryKey: ['brand-logo', teamId, environment, version],
    queryFn: () => fetchFile(IMAGE_PATH),
  });
  const url = useObjectUrl(image.data);
  return url === undefined ? null : (
    <Image src={url} alt="The logo" w="auto" maw={240} mah={80} bg="#ffffff" p={6} fit="contain" />
  );
}

interface LogoState {
  readonly state: 'none' | 'waiting' | 'stored' | 'failed';
  readonly source: 'url' | 'upload' | null;
  readonly failure: string | null;
}

function stateText({ state, source, failure }: LogoState): string {
  switch (state) {
    case 'none':
      return 'No logo is stored. Upload one, or enter its URL below.';
    case 'waiting':
      return failure === null ? 'The logo is being fetched.' : `${failure}. The service tries again.`;
    case 'failed':
      return `The logo cannot be fetched: ${failure ?? 'unknown reason'}.`;
    case 'stored':
      return source === 'upload' ? 'Uploaded.' : 'Fetched from the URL.';
  }
}
