import { Button, Tabs } from '@mantine/core';
import { useGoTo, useOrganizationPermissions } from '../../base/tenant.ts';
import { useUrlState } from '../../base/url-state.ts';
import { PageFrame } from '../../components/page.tsx';
import { CreateLabTest } from './create-lab-test.tsx';
import { LabAccountsTab } from './lab-accounts-tab.tsx';
import { LabTestsTab } from './lab-tests-tab.tsx';
import { LaboratoriesTab } from './laboratories-tab.tsx';
import { MarkersTab } from './markers-tab.tsx';
import { TabList } from '../../components/tab-list.tsx';

const TABS = [
  { name: 'tests', title: 'Lab tests', View: LabTestsTab },
  { name: 'markers', title: 'Markers', View: MarkersTab },
  { name: 'labs', title: 'Laboratories', View: LaboratoriesTab },
  { name: 'accounts', title: 'Lab accounts', View: LabAccountsTab },
] as const;

export function Page() {
  const [{ tab }, setUrl] = useUrlState();
  const active = TABS.find(({ name }) => name === tab) ?? TABS[0];
  return (
    <PageFrame
      title="Catalog"
      description="What can be ordered: lab tests of your team, made of markers of the laboratories."
      actions={
        <>
          <ImportLink />
          <CreateLabTest />
        </>
      }
      calls={[
        { title: 'List lab tests', method: 'GET', path: '/v3/lab_test', query: { lab_test_limit: '30' } },
        { title: 'Search markers', method: 'GET', path: '/v3/lab_tests/markers', query: { name: 'glucose' } },
        { title: 'List laboratories', method: 'GET', path: '/v3/lab_tests/labs' },
        { title: 'List lab accounts', method: 'GET', path: '/v3/lab_test/lab_account' },
      ]}
    >
      <Tabs
        value={active.name}
        onChange={(name) =>
          setUrl(
            { tab: name ?? undefined, name: undefined, lab: undefined, method: undefined, status: undefined },
            { replace: false },
          )
        }
        keepMounted={false}
      >
        <TabList>
          {TABS.map(({ name, title }) => (
            <Tabs.Tab key={name} value={name} style={{ flex: 'none' }}>
              {title}
            </Tabs.Tab>
          ))}
        </TabList>
        {TABS.map(({ name, View }) => (
          <Tabs.Panel key={name} value={name}>
            <View />
          </Tabs.Panel>
        ))}
      </Tabs>
    </PageFrame>
  );
}

function ImportLink() {
  const goTo = useGoTo();
  const may = useOrganizationPermissions();
  if (!may('catalog:import')) return null;
  return (
    <Button variant="default" onClick={() => goTo('catalog/import')}>
      Import
    </Button>
  );
}
