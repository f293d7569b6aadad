import {
  Alert,
  Button,
  Group,
  NumberInput,
  Select,
  Stack,
  Switch,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { client } from '../../api/client.ts';
import { useTenant } from '../../base/tenant.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { CopyId, KeyValues, TimeText } from '../../components/values.tsx';
import { FEATURES, SWITCHES } from './team-fields.ts';
import { TEAM_PATH, useTeamSettings, type TeamChanges, type TeamSettings } from './use-team-settings.ts';

export function TeamGeneral() {
  const { query, settings, save, isBusy, mayChange, path } = useTeamSettings();
  const { environment } = useTenant();
  const [isRenaming, setRenaming] = useState(false);
  return (
    <Loaded query={query} lines={10}>
      {(team) => (
        <>
          <Section
            title="Team"
            actions={
              mayChange && (
                <Button size="xs" variant="default" onClick={() => setRenaming(true)}>
                  Rename
                </Button>
              )
            }
          >
            <KeyValues
              rows={[
                ['Name', team.name],
                ['Team', <CopyId key="id" id={team.id} />],
                ['Your own id', team.integration_team_id],
                ['Region', team.region.toUpperCase()],
                ['Created', <TimeText key="at" value={team.created_on} />],
              ]}
            />
          </Section>
          {!mayChange && (
            <Alert color="gray" title="You can read these settings">
              An administrator of the team, in both environments, changes them.
            </Alert>
          )}
          {settings && (
            // The saved values are the next starting point of the form.
            <SettingsForm
              key={`${environment} ${JSON.stringify(settings)}`}
              settings={settings}
              isBusy={isBusy}
              mayChange={mayChange}
              onSave={save}
            />
          )}
          {isRenaming && <RenameDialog team={team} path={path} onClose={() => setRenaming(false)} />}
        </>
      )}
    </Loaded>
  );
}

interface SettingsFormProps {
  readonly settings: TeamSettings;
  readonly isBusy: boolean;
  readonly mayChange: boolean;
  readonly onSave: (changes: TeamChanges) => void;
}

function SettingsForm({ settings, isBusy, mayChange, onSave }: SettingsFormProps) {
  const [changes, setChanges] = useState<TeamChanges>({});
  const now: TeamSettings = { ...settings, ...(changes as Partial<TeamSettings>) };
  const change = (changed: TeamChanges) => setChanges({ ...changes, ...changed });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave(changes);
  };
  const toNumber = (value: number | string) => (value === '' ? null : Number(value));
  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        <Section title="Patients and results">
          <fieldset className="plain" disabled={!mayChange}>
            <Stack maw={640}>
              {SWITCHES.map(({ name, label, description }) => (
                <Switch
                  key={name}
                  label={label}
                  description={description}
                  checked={now[name]}
                  onChange={(event) => change({ [name]: event.currentTarget.checked })}
                />
              ))}
              <TextInput
                label="Address for critical results"
                description="Gets critical results that nobody has read back, and notices of break-glass access."
                type="email"
                value={now.critical_result_notification_email ?? ''}
                onChange={(event) =>
                  change({ critical_result_notification_email: event.currentTarget.value.trim() || null })
                }
              />
              <NumberInput
                label="Minutes until a critical result is escalated"
                min={1}
                max={1440}
                allowDecimal={false}
                value={now.critical_result_escalation_minutes}
                onChange={(value) => change({ critical_result_escalation_minutes: toNumber(value) })}
              />
              <Select
                label="PDF of results"
                allowDeselect={false}
                data={[
                  { value: 'own', label: 'Made by this service' },
                  { value: 'laboratory', label: 'As the laboratory enclosed it, where there is one' },
                ]}
                value={now.lab_report_pdf}
                onChange={(value) =>
                  change({ lab_report_pdf: value === 'laboratory' ? 'laboratory' : 'own' })
                }
              />
            </Stack>
          </fieldset>
        </Section>
        <Section title="Integration and limits">
          <fieldset className="plain" disabled={!mayChange}>
            <Stack maw={640}>
              <TagsInput
                label="URL schemes of your apps"
                description="What redirect_url of a link token may begin with, beside https. Such as myapp."
                maxTags={20}
                disabled={!mayChange}
                value={[...now.allowed_redirect_schemes]}
                onChange={(schemes) => change({ allowed_redirect_schemes: schemes })}
              />
              <Limit
                label="Most users"
                without="No limit"
                value={now.max_users}
                onChange={(max) => change({ max_users: max })}
              />
              <Limit
                label="Units per minute, whole team"
                value={now.rate_limit_team}
                onChange={(limit) => change({ rate_limit_team: limit })}
              />
              <Limit
                label="Units per minute, each key"
                value={now.rate_limit_key}
                onChange={(limit) => change({ rate_limit_key: limit })}
              />
              <Stack gap={4} role="group" aria-label="Features">
                <Text size="sm" fw={500}>
                  Features
                </Text>
                {FEATURES.map(({ value, label, description }) => (
                  <Switch
                    key={value}
                    label={label}
                    description={description}
                    checked={now.features.includes(value)}
                    onChange={(event) =>
                      change({ features: toggle(now.features, value, event.currentTarget.checked) })
                    }
                  />
                ))}
              </Stack>
            </Stack>
          </fieldset>
        </Section>
        {mayChange && (
          <Group>
            <Button type="submit" loading={isBusy} disabled={Object.keys(changes).length === 0}>
              Save
            </Button>
            {Object.keys(changes).length > 0 && (
              <Button variant="default" onClick={() => setChanges({})}>
                Discard the changes
              </Button>
            )}
          </Group>
        )}
      </Stack>
    </form>
  );
}

type Feature = NonNullable<TeamChanges['features']>[number];

const toggle = (held: readonly string[], feature: Feature, isOn: boolean): Feature[] =>
  FEATURES.map(({ value }) => value).filter((known) => (known === feature ? isOn : held.includes(known)));

interface LimitProps {
  readonly label: string;
  readonly value: number | null;
  /** What holds without a number. */
  readonly without?: string;
  readonly onChange: (value: number | null) => void;
}

const Limit = ({ label, value, without = 'The default of the service', onChange }: LimitProps) => (
  <NumberInput
    label={label}
    placeholder={without}
    min={0}
    allowDecimal={false}
    value={value ?? ''}
    onChange={(given) => onChange(given === '' ? null : Number(given))}
  />
);

interface RenameDialogProps {
  readonly team: { readonly name: string; readonly integration_team_id: string | null };
  readonly path: { readonly org_id: string; readonly team_id: string };
  readonly onClose: () => void;
}

function RenameDialog({ team, path, onClose }: RenameDialogProps) {
  const [name, setName] = useState(team.name);
  const [ownId, setOwnId] = useState(team.integration_team_id ?? '');
  return (
    <FormDialog
      title="Rename the team"
      action="Save"
      changes={[TEAM_PATH, '/v1/org/{org_id}/team']}
      onClose={onClose}
      onSubmit={() =>
        client.PATCH(TEAM_PATH, {
          params: { path },
          body: { name: name.trim(), integration_team_id: ownId.trim() || null },
        })
      }
    >
      <TextInput
        label="Name"
        required
        maxLength={80}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label="Your own id of the team"
        description="Finds the team in your systems; unique in the organization."
        value={ownId}
        onChange={(event) => setOwnId(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
