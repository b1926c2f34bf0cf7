import { OlderLink } from '@pawl/base/pages/older-link'
import { Pill, type Tone } from '@pawl/base/pages/pill'
import { Select } from '@pawl/base/pages/select'
import { type Column, Table } from '@pawl/base/pages/table'
import { TextFilter } from '@pawl/base/pages/text-filter'
import { duration, When } from '@pawl/base/pages/words'
import { attemptResults } from '@pawl/ledger/tables'
import { isWaitingError } from '@pawl/ledger/hot/waiting-errors'
import type { RunRecord } from '@pawl/ledger/views/list-runs'
import { listRanges } from '../ranges.ts'
import { Layout } from './console-layout.tsx'
import { FilterForm } from './forms.tsx'
import { resourceColumn } from './links.tsx'

interface RunsPageProps {
  filter: {
    handler?: string | undefined
    result?: string | undefined
    resource?: string | undefined
    within?: string | undefined
  }
  handlerNames: readonly string[]
  runs: readonly RunRecord[]
  next: string | undefined
}

/** Runs of handlers, the newest first; each leads to the story of its resource. */
export function RunsPage({ filter, handlerNames, runs, next }: RunsPageProps) {
  return (
    <Layout title="Runs" at="/runs">
      <FilterForm action="/runs">
        <Select name="handler" label="Handler" value={filter.handler} options={handlerNames} />
        <Select name="result" label="Result" value={filter.result} options={attemptResults} />
        <Select name="within" label="Within" value={filter.within} options={listRanges} />
        <TextFilter name="resource" label="Resource" value={filter.resource} />
      </FilterForm>
      <Table
        caption="The newest first"
        empty={next === undefined ? 'No runs.' : 'None among the runs searched so far: there are older ones.'}
        rows={runs}
        columns={[...beginning, resourceColumn, ...ending]}
      />
      <OlderLink href={next} />
    </Layout>
  )
}

const beginning: readonly Column<RunRecord>[] = [
  { name: 'Ended', isBrief: true, show: ({ finishedAt }) => <When at={finishedAt} /> },
  { name: 'Handler', isBrief: true, show: ({ handler }) => handler },
]
const ending: readonly Column<RunRecord>[] = [
  { name: 'Result', isBrief: true, show: (run) => <Result of={run} /> },
  { name: 'Error code', show: ({ errorCode }) => errorCode ?? '–' },
  { name: 'Took', kind: 'number', show: ({ startedAt, finishedAt }) => duration(Math.max(0, finishedAt - startedAt)) },
  { name: 'Next attempt', show: ({ nextAt }) => (nextAt === undefined ? '–' : <When at={nextAt} />) },
]
/** The columns of the runs of one resource. */
export const ownRunColumns = [...beginning, ...ending]

const tones: Readonly<Record<RunRecord['result'], Tone>> = {
  succeeded: 'good',
  failed: 'warn',
  parked: 'bad',
  discarded: 'quiet',
}

/** A run that found its system away or paused waits, and has not failed. */
function Result({ of: { result, errorCode } }: { of: RunRecord }) {
  if (isWaitingError(errorCode)) return <Pill tone="wait">waits</Pill>
  return <Pill tone={tones[result]}>{result}</Pill>
}
