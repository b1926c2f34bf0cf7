import { Layout } from './console-layout.tsx'
import { Table } from '../../base/pages/table.tsx'

/** One setting: its name, and where its value is from, which is never shown. */
export interface SettingSource {
  name: string
  source: 'environment' | 'default' | 'not set'
  isOwn: boolean
}

/** The settings by name, with where each is from. */
export function SettingsPage({ settings }: { settings: readonly SettingSource[] }) {
  return (
    <Layout title="Settings" at="/settings">
      <p>Values are shown nowhere. What each setting means stands in .env.example.</p>
      <Table
        caption="All settings"
        empty=""
        rows={settings}
        columns={[
          { name: 'Setting', kind: 'id', show: ({ name }) => name },
          { name: 'From', show: ({ source }) => source },
          { name: 'Of', show: ({ isOwn }) => (isOwn ? 'the integration' : 'pawl') },
        ]}
      />
    </Layout>
  )
}
