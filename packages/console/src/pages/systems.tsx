import { type Column, Table } from '@pawl/base/pages/table'

interface ShownSystem {
  system: string
  state: string
}

/** State of each system, with more columns. */
export function Systems<Row extends ShownSystem>({
  systems,
  more,
}: {
  systems: readonly Row[]
  more: readonly Column<Row>[]
}) {
  return (
    <Table<Row>
      caption="Systems"
      note="As this process knows them"
      empty="No systems."
      rows={systems}
      columns={[
        { name: 'System', show: ({ system }) => system },
        { name: 'State', show: ({ state }) => <span class={state === 'in use' ? 'good' : 'wait'}>{state}</span> },
        ...more,
      ]}
    />
  )
}
