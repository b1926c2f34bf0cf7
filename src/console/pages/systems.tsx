import { type Column, Table } from '../../base/pages/table.tsx'

interface ShownSystem {
  system: string
  state: string
}

/** How each system stands, with one more column. */
export function Systems<Row extends ShownSystem>({ systems, more }: { systems: readonly Row[]; more: Column<Row> }) {
  return (
    <Table<Row>
      caption="How each system stands, as this process knows it"
      empty="No system is known."
      rows={systems}
      columns={[
        { name: 'System', show: ({ system }) => system },
        { name: 'State', show: ({ state }) => <span class={state === 'in use' ? 'good' : 'bad'}>{state}</span> },
        more,
      ]}
    />
  )
}
