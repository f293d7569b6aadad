import { Button, ColorInput, Group, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { useTenant } from '../../base/tenant.ts';
import { Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { BrandLogoSection } from './brand-logo.tsx';
import { BrandPreview, type BrandDraft } from './brand-preview.tsx';
import { useTeamSettings, type TeamChanges, type TeamSettings } from './use-team-settings.ts';

const draftOf = ({ logo_url: logo, brand_information: brand }: TeamSettings): BrandDraft => ({
  logo: logo ?? '',
  name: brand?.company_name ?? '',
  website: brand?.company_website ?? '',
  email: brand?.support_email ?? '',
  contact: brand?.support_contact ?? '',
  address: brand?.company_address ?? '',
  color: brand?.brand_color ?? '',
});

export function Brand() {
  const { query, settings, save, isBusy, mayChange } = useTeamSettings();
  const { environment } = useTenant();
  return (
    <Loaded query={query} lines={8}>
      {() =>
        settings && (
          <BrandForm
            key={`${environment} ${JSON.stringify(settings)}`}
            settings={settings}
            isBusy={isBusy}
            mayChange={mayChange}
            onSave={save}
          />
        )
      }
    </Loaded>
  );
}

interface BrandFormProps {
  readonly settings: TeamSettings;
  readonly isBusy: boolean;
  readonly mayChange: boolean;
  readonly onSave: (changes: TeamChanges) => void;
}

function BrandForm({ settings, isBusy, mayChange, onSave }: BrandFormProps) {
  const saved = draftOf(settings);
  const [draft, setDraft] = useState(saved);
  const isChanged = JSON.stringify(saved) !== JSON.stringify(draft);
  const change = (changed: Partial<BrandDraft>) => setDraft({ ...draft, ...changed });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { logo, name, website, email, contact, address, color } = draft;
    onSave({
      logo_url: logo.trim() || null,
      brand_information: {
        company_name: name.trim(),
        company_website: website.trim() || null,
        support_email: email.trim() || null,
        support_contact: contact.trim() || null,
        company_address: address.trim() || null,
        brand_color: color || null,
      },
    });
  };
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Section title="Brand">
        <form onSubmit={submit}>
          <fieldset className="plain" disabled={!mayChange}>
            <Stack>
              <TextInput
                label="Company name"
                description="The name that patients see."
                required
                maxLength={200}
                value={draft.name}
                onChange={(event) => change({ name: event.currentTarget.value })}
              />
              <ColorInput
                label="Main color"
                description="Of buttons, mails and documents. Dark enough for white text."
                format="hex"
                eyeDropperButtonProps={{ 'aria-label': 'Pick a color of the screen' }}
                disabled={!mayChange}
                value={draft.color}
                onChange={(color) => change({ color })}
              />
              <TextInput
                label="URL of the logo"
                description="The service fetches the image once; patients never ask its host."
                type="url"
                placeholder="https://"
                value={draft.logo}
                onChange={(event) => change({ logo: event.currentTarget.value })}
              />
              <TextInput
                label="Website"
                value={draft.website}
                onChange={(event) => change({ website: event.currentTarget.value })}
              />
              <TextInput
                label="Support e-mail"
                type="email"
                value={draft.email}
                onChange={(event) => change({ email: event.currentTarget.value })}
              />
              <TextInput
                label="Another contact"
                description="Such as a phone number."
                value={draft.contact}
                onChange={(event) => change({ contact: event.currentTarget.value })}
              />
              <Textarea
                label="Postal address"
                autosize
                minRows={2}
                value={draft.address}
                onChange={(event) => change({ address: event.currentTarget.value })}
              />
              {mayChange && (
                <Group>
                  <Button type="submit" loading={isBusy} disabled={!isChanged}>
                    Save
                  </Button>
                  {isChanged && (
                    <Button variant="default" onClick={() => setDraft(saved)}>
                      Discard the changes
                    </Button>
                  )}
                </Group>
              )}
            </Stack>
          </fieldset>
        </form>
      </Section>
      <Stack gap="lg">
        <BrandLogoSection mayChange={mayChange} />
        <BrandPreview draft={draft} />
      </Stack>
    </SimpleGrid>
  );
}
