import type { Drift } from 'pawl-client/events/drift-seen'
import { Layout } from './console-layout.tsx'
import { Table } from '@pawl/base/pages/table'
import { When } from '@pawl/base/pages/words'
import { ResourceLink } from './links.tsx'

/** One setting: its name and the source of its value; the value is never shown. */
export interface SettingSource {
  name: string
  source: 'environment' | 'default' | 'not set'
  isOwn: boolean
}

/** Settings of the environment come first. */
const order = ['environment', 'default', 'not set']

interface SettingsPageProps {
  settings: readonly SettingSource[]
  /** Names and codes that this process received and pawl does not know. */
  drift: readonly Drift[]
}

/** The settings by name, each with its source, and the names and codes that pawl does not know. */
export function SettingsPage({ settings, drift }: SettingsPageProps) {
  return (
    <Layout title="Settings" at="/settings">
      <p>Values are never shown. .env.example describes each setting.</p>
      <Table
        caption="All settings"
        empty=""
        rows={settings.toSorted((one, other) => order.indexOf(one.source) - order.indexOf(other.source))}
        columns={[
          { name: 'Setting', kind: 'id', isBrief: true, show: ({ name }) => name },
          { name: 'From', isBrief: true, show: ({ source }) => source },
          { name: 'Of', show: ({ isOwn }) => (isOwn ? 'the integration' : 'pawl') },
        ]}
      />
      <h2>Drift</h2>
      <p>
        Names and codes that the service sent to this process and that pawl does not know. pawl stores them with their
        resource and ignores them; none causes a failure. If your handlers need one, add it to the schemas. Values that
        do not look like a name or a code are shown as ?.
      </p>
      <Table
        caption="The newest first"
        empty="pawl knows everything received since the start."
        rows={drift}
        columns={[
          { name: 'Kind', show: ({ kind }) => kind.replaceAll('_', ' ') },
          { name: 'Where', kind: 'id', show: ({ name }) => name },
          { name: 'Unknown', kind: 'id', show: ({ value }) => value || 'the name' },
          { name: 'First', show: ({ firstAt }) => <When at={firstAt} /> },
          {
            name: 'Such as in',
            kind: 'id',
            show: ({ resourceId, kind }) =>
              resourceId === '' || kind === 'event_type' ? resourceId : <ResourceLink id={resourceId} />,
          },
        ]}
      />
    </Layout>
  )
}
