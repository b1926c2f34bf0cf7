import { Pill, type Tone } from '@pawl/base/pages/pill'
import { type Column, Table } from '@pawl/base/pages/table'

/** How a system stands. */
export interface SystemState {
  system: string
  state: string
  tone: Tone
}

/** State of each system, with more columns. */
export function Systems<Row extends SystemState>({
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
          show: ({ state, tone }) => <Pill tone={tone}>{state}</Pill>,
        },
        ...more,
      ]}
    />
  )
}
