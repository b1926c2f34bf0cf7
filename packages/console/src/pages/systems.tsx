import { Pill } from '@pawl/base/pages/pill'
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
        { name: 'System', isBrief: true, show: ({ system }) => system },
        {
          name: 'State',
          isBrief: true,
          show: ({ state }) => <Pill tone={state === 'in use' ? 'good' : 'wait'}>{state}</Pill>,
        },
        ...more,
      ]}
    />
  )
}
