import { Router } from 'express'
import type { z } from 'zod'
import type { Actor } from '@pawl/ledger/audit/audit-entry'
import type { WaitingForPeople } from '@pawl/ledger/views/waiting-for-people'
import type { Page } from '@pawl/ledger/views/rows'
import type { ResourceKind } from 'pawl-client/schemas/kinds'
import { actionsFor } from 'pawl-client/schemas/waits-for-people'
import { contract } from './contract/contract.ts'
import { readCursor, writeCursor } from './contract/cursor.ts'
import { WaitingCursor, WaitingKind } from './contract/resource-contract.ts'
import { queryOf } from '@pawl/base/pages/query'
import type { Log } from '@pawl/base/log'
import type { Repairs } from '@pawl/ledger/upkeep/create-repairs'
import { type QueuedWork, WorkQueuePage } from './pages/work-queue.tsx'
import { sendPage } from './render.tsx'
import { invalid, refusal, serve } from './serve.ts'
import { serveForm } from './serve-form.tsx'
import { dueOfWait, isWaitOf, readStaffFiles, type StaffViews } from './staff/staff-list.ts'
import type { Team } from './staff/team.ts'

export interface WorkQueueDeps {
  ledger: StaffViews & Pick<Repairs, 'endLeftOutFile'>
  teams: readonly Team[]
  log: Log
  now: () => number
}

type FileDone = (asked: z.output<typeof contract.fileDone.body>, actor: Actor) => Promise<void>

/** Resources on one page. */
const pageSize = 50

/** The work queue, as a page and as JSON, and files marked as done. */
export function createWorkQueuePages({ ledger, teams, log, now }: WorkQueueDeps): Router {
  /** With a kind or a team, a page may be short but not the last: only a limited number of rows is read. */
  async function readQueue(
    { kind, team }: { kind: ResourceKind | undefined; team: Team | undefined },
    limit: number,
    after: WaitingCursor | undefined,
  ): Promise<Page<QueuedWork, WaitingCursor>> {
    const { rows, next } = await ledger.waitingForPeople(limit, after)
    const wanted = rows.filter((row) => (kind === undefined || row.kind === kind) && isWaitOf(team, row))
    const toWork = (row: WaitingForPeople) => ({
      ...row,
      due: dueOfWait(row),
      actions: actionsFor(row.kind, row.reason),
    })
    return { rows: wanted.map(toWork), next }
  }

  const teamOf = (name: unknown) => teams.find((each) => each.name === name)
  const readFiles = (team: Team | undefined) => readStaffFiles(ledger, team, { limit: 2 * pageSize, now: now() })

  /** Marks a file as done. Throws `RequestRefused`. */
  const endFile: FileDone = async ({ resource, ...file }, actor) => {
    if (!(await ledger.endLeftOutFile({ id: resource, ...file }, { actor })))
      throw refusal('nothing', 'No such file is listed: it may be done already.')
    log.info({ resource_id: resource, system: file.system }, 'a file that the chart could not hold is done')
  }

  const router = Router()
  serve(router, contract.workQueue, async ({ query: { kind, team: name, limit, after } }) => {
    const team = teamOf(name)
    if (name !== undefined && team === undefined) throw invalid(contract.workQueue)
    const { rows, next } = await readQueue({ kind, team }, limit, after)
    return { waiting: rows, files: await readFiles(team), cursor: next && writeCursor(next) }
  })
  serve(router, contract.fileDone, async ({ body, actor }) => {
    await endFile(body, actor)
    return { isDone: true }
  })
  router.get('/work-queue', async (req, res) => {
    const kind = WaitingKind.optional().catch(undefined).parse(req.query.kind)
    const team = teamOf(req.query.team)
    const { rows, next } = await readQueue({ kind, team }, pageSize, readCursor(WaitingCursor, req.query.after))
    const address = next && `/work-queue${queryOf({ kind, team: team?.name, after: writeCursor(next) })}`
    sendPage(
      res,
      <WorkQueuePage
        kind={kind}
        team={team?.name}
        teams={teams.map(({ name }) => name)}
        waiting={rows}
        next={address}
        files={await readFiles(team)}
        now={now()}
      />,
    )
  })

  const notDone = { at: '/work-queue', refused: 'Nothing was marked as done' } as const
  serveForm(router, '/work-queue/done', notDone, async ({ fields: { team, ...fields }, actor }) => {
    const form = contract.fileDone.body.safeParse(fields).data
    if (form === undefined) throw invalid(contract.fileDone)
    await endFile(form, actor)
    return `/work-queue${queryOf({ team: teamOf(team)?.name })}`
  })
  return router
}
