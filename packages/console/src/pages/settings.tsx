import type { Drift } from 'pawl-client/events/drift-seen'
import { Layout } from './console-layout.tsx'
import { Table } from '@pawl/base/pages/table'
import { count, When } from '@pawl/base/pages/words'
import { ResourceLink } from './links.tsx'

/** Settings of the environment come first, and alone are unfolded. */
const order = ['environment', 'default', 'not set'] as const

/** One setting: its name, the source of its value, and the value if it is a number or one of fixed words of pawl's. */
export interface SettingSource {
  name: string
  value?: string
  source: (typeof order)[number]
  isOwn: boolean
}

interface SettingsPageProps {
  settings: readonly SettingSource[]
  /** Names and codes that this process received and pawl does not know. */
  drift: readonly Drift[]
}

/** The settings by name, each with its source, and the names and codes that pawl does not know. */
export function SettingsPage({ settings, drift }: SettingsPageProps) {
  return (
    <Layout title="Settings" at="/settings">
      <p>
        Numbers and choices are shown; secrets, addresses and other text, and settings of the integration never are.
        .env.example describes each setting.
      </p>
      {order.map((source) => (
        <Group source={source} settings={settings.filter((each) => each.source === source)} />
      ))}
      <Table
        caption="Drift"
        note="Names and codes of the service that pawl does not know, the newest first. It stores them with their resource, and none causes a failure: if your handlers need one, add it to the schemas. A value that looks like neither is shown as ?."
        empty="No drift: pawl knows every name and code that it received since its start."
        rows={drift}
        columns={[
          { name: 'Kind', isBrief: true, show: ({ kind }) => kind.replaceAll('_', ' ') },
          { name: 'Where', kind: 'id', show: ({ name }) => name },
          { name: 'Unknown', kind: 'id', isBrief: true, show: ({ value }) => value || 'the name' },
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

const titles = { environment: 'From the environment', default: 'With their default', 'not set': 'Not set' } as const

function Group({ source, settings }: { source: (typeof order)[number]; settings: readonly SettingSource[] }) {
  if (settings.length === 0) return null
  const title = `${titles[source]} (${count(settings.length)})`
  return (
    <details open={source === 'environment'}>
      <summary>{title}</summary>
      <Table
        caption={title}
        isNamedAbove
        rows={settings}
        columns={[
          { name: 'Setting', kind: 'id', show: ({ name }) => name },
          ...(settings.some(({ value }) => value !== undefined)
            ? [{ name: 'Value', show: ({ value }: SettingSource) => value ?? <span class="faint">not shown</span> }]
            : []),
          ...(settings.some(({ isOwn }) => isOwn)
            ? [{ name: 'Of', show: ({ isOwn }: SettingSource) => (isOwn ? 'the integration' : 'pawl') }]
            : []),
        ]}
      />
    </details>
  )
}
