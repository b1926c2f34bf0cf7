import { Layout } from './console-layout.tsx'
import { Table } from '../../base/pages/table.tsx'

/** One setting: its name and the source of its value; the value is never shown. */
export interface SettingSource {
  name: string
  source: 'environment' | 'default' | 'not set'
  isOwn: boolean
}

/** Those that somebody set come first. */
const order = ['environment', 'default', 'not set']

/** The settings by name, each with its source. */
export function SettingsPage({ settings }: { settings: readonly SettingSource[] }) {
  return (
    <Layout title="Settings" at="/settings">
      <p>Values are never shown. .env.example describes each setting.</p>
      <Table
        caption="All settings"
        empty=""
        rows={settings.toSorted((one, other) => order.indexOf(one.source) - order.indexOf(other.source))}
        columns={[
          { name: 'Setting', kind: 'id', show: ({ name }) => name },
          { name: 'From', show: ({ source }) => source },
          { name: 'Of', show: ({ isOwn }) => (isOwn ? 'the integration' : 'pawl') },
        ]}
      />
    </Layout>
  )
}
