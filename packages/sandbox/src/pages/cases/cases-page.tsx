import { Select } from '@pawl/base/pages/select'
import { Layout, LivePart } from '../sandbox-layout.tsx'
import { queryOf } from '@pawl/base/pages/query'
import { caseKindNames, caseKinds, statusesOf } from '../../cases/case-kinds.ts'
import { CaseTable } from './case-table.tsx'
import type { CaseFilter, CasePage } from '../../cases/read-cases.ts'
import { OlderLink } from '@pawl/base/pages/older-link'

interface CasesPageProps {
  filter: CaseFilter
  page: CasePage
  /** Path of this page. */
  address: string
}

/** Cases of all organizations, newest first. */
export function CasesPage({ filter: { kind, status }, page, address }: CasesPageProps) {
  return (
    <Layout title="Cases" at="/_sandbox/pages/cases" live={address}>
      <form method="get" action="/_sandbox/pages/cases" class="filter" aria-label="Filter">
        <Select
          name="kind"
          label="Kind"
          value={kind}
          options={caseKindNames.map((one) => [one, caseKinds[one].name] as const)}
        />
        <Select name="status" label="Status" value={status} options={statusesOf(kind)} />
        <button type="submit">Filter</button>
        <a class="button" href="/_sandbox/pages/create">
          Create a case
        </a>
      </form>
      <LivePart name="cases">
        <CaseTable caption="Cases, newest first" cases={page.cases} empty="No cases match." />
        <OlderLink href={page.next && `/_sandbox/pages/cases${queryOf({ kind, status, after: page.next })}`} />
      </LivePart>
    </Layout>
  )
}
