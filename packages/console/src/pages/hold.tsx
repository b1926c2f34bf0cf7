import { queryOf } from '@pawl/base/pages/query'
import { addressOfHold, nameOfHold } from '../hold-names.ts'
import { ReasonInput } from './reason-input.tsx'
import type { Verdict } from '../contract/status-verdict.ts'
import { isSameHold } from '../holding.ts'
import type { Fared } from '../released.ts'
import { Layout } from './console-layout.tsx'
import { countFailed } from './words.ts'
import { count, When, plural } from '@pawl/base/pages/words'
import { Allowed, FormToken } from './viewer.tsx'
import type { Hold, HoldName } from '@pawl/ledger/hot/holds'

/** Lists the holds, with since when and why; empty without any. */
export function HoldBanner({ holds }: { holds: readonly Hold[] }) {
  if (holds.length === 0) return null
  return (
    <div class="note warn">
      <p>Paused: webhooks are stored, and this work waits until it is resumed.</p>
      <ul>
        {holds.map((hold) => (
          <li key={nameOfHold(hold)}>
            <a href={addressOfHold(hold)}>{nameOfHold(hold)}</a> since <When at={hold.since} />
            {hold.reason !== undefined && `: ${hold.reason}`}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** What was resumed just before, and the resources that it made due; under a pause of all work they stayed due. */
export interface Resumed {
  target: HoldName
  resources: number
  /** Whether only so many were released, and others still wait. */
  isPart: boolean
  /** How those released fare, if this process released them. */
  fared: Fared | undefined
}

/** The query of an address that shows the note again. */
export function queryOfResumed(resumed: Resumed | undefined): string {
  if (resumed === undefined) return ''
  const { target, resources, isPart } = resumed
  return queryOf({ ...target, resumed: String(resources), more: isPart ? 'yes' : undefined })
}

/** The verdict, which offers to resume the others of a pause where those released before went well. */
export function afterTrial([first, ...others]: Verdict, resumed: Resumed | undefined): Verdict {
  const rest = first.deeds?.find(
    (deed) => deed.do === 'resume' && deed.limit === undefined && resumed && isSameHold(deed, resumed.target),
  )
  const fared = resumed?.fared
  if (rest === undefined || fared === undefined || !haveGoneWell(fared)) return [first, ...others]
  const { since: _since, why: _why, effect: _effect, todo: _todo, ...still } = first
  return [
    { ...still, title: `${count(fared.succeeded)} of ${count(fared.released)} went well`, deeds: [rest] },
    ...others,
  ]
}

function haveGoneWell({ succeeded, released }: Fared): boolean {
  return succeeded === released
}

/** Says what was resumed, and how it fares. */
export function ResumedNote({ resumed }: { resumed: Resumed | undefined }) {
  // Where all went well, the verdict says so.
  if (resumed === undefined || (resumed.fared && haveGoneWell(resumed.fared))) return null
  const { target, resources, isPart, fared } = resumed
  const many = `${count(resources)} ${plural(resources, 'resource')}`
  return (
    <div class="note" role="status">
      {isPart ? `Of ${nameOfHold(target)}: ` : `Resumed ${nameOfHold(target)}: `}
      {isPart && (
        <>
          {fared === undefined ? `${many} released, others wait.` : sayFared(fared)}{' '}
          <a href={`/runs${queryOf(target.kind === 'handler' ? { handler: target.name } : {})}`}>How they fare</a>
        </>
      )}
      {!isPart && (target.kind === 'all' ? 'its work goes on.' : `${many} now due.`)}
    </div>
  )
}

function sayFared({ released, succeeded, failed }: Fared): string {
  if (failed > 0) return `${count(failed)} of ${count(released)} failed: look at them before you go on.`
  return `${count(succeeded)} of ${count(released)} went well so far.`
}

interface HoldPageProps {
  target: HoldName
  /** Absent if not paused. */
  hold: Hold | undefined
  /** Pieces of work that wait for it; `undefined` if not paused, or not counted yet. */
  waiting: number | undefined
  /** Resources released just before, and whether others still wait. */
  letThrough: { resources: number; more: boolean } | undefined
  stamp: string
}

/** Pauses one handler, one system or all work, or resumes it: all at once, or a number of resources at a time. */
export function HoldPage({ target, hold, waiting, letThrough, stamp }: HoldPageProps) {
  const fields = { kind: target.kind, name: target.name, stamp }
  return (
    <Layout title={hold === undefined ? `Pause ${nameOfHold(target)}` : `Paused: ${nameOfHold(target)}`} at="/handlers">
      {letThrough !== undefined && (
        <p class="note" role="status">
          {count(letThrough.resources)} {plural(letThrough.resources, 'resource')} released
          {letThrough.more ? '; others wait.' : '; no others wait.'} <a href="/runs">How they fare</a>
        </p>
      )}
      {hold === undefined ? (
        <Allowed to="operate">
          <PauseForm target={target} fields={fields} />
        </Allowed>
      ) : (
        <>
          <dl class="tiles">
            <div>
              <dt>Since</dt>
              <dd>
                <When at={hold.since} />
              </dd>
            </div>
            <div>
              <dt>Waiting for it</dt>
              <dd>{waiting === undefined ? '…' : countFailed(waiting)}</dd>
            </div>
          </dl>
          <p>{hold.reason === undefined ? 'No reason given.' : `Why: ${hold.reason}`}</p>
          <Allowed to="operate">
            <ResumeForm fields={fields} />
          </Allowed>
        </>
      )}
      <p>
        <a href="/handlers">Back to the handlers</a>
      </p>
    </Layout>
  )
}

type Fields = Record<'kind' | 'name' | 'stamp', string>

function HiddenFields({ fields }: { fields: Fields }) {
  return (
    <>
      <FormToken />
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
    </>
  )
}

const meanings = {
  handler: 'It does not run, and its work waits; other handlers continue.',
  system: 'It gets no requests, and work that needs it waits.',
  all: 'No handler runs and nothing is polled.',
} as const

function PauseForm({ target, fields }: { target: HoldName; fields: Fields }) {
  return (
    <form method="post" action="/handlers/pause" aria-label="Pause">
      <HiddenFields fields={fields} />
      <p>
        {meanings[target.kind]} Webhooks are still accepted, nothing is lost, and running work finishes first. A pause
        applies to all processes and survives restarts.
      </p>
      <p>
        <label for="reason">Reason, shown on this page (nothing about a patient)</label>
        <ReasonInput id="reason" />
      </p>
      <button type="submit" class="act">
        Pause {nameOfHold(target)}
      </button>
    </form>
  )
}

function ResumeForm({ fields }: { fields: Fields }) {
  return (
    <form method="post" action="/handlers/resume" aria-label="Resume">
      <HiddenFields fields={fields} />
      <p>
        <label for="limit">Resources to release, the longest waiting first</label>
        <input id="limit" name="limit" type="text" inputMode="numeric" pattern="[1-9][0-9]{0,4}" value="10" required />
      </p>
      <p>
        <button type="submit" class="act" name="do" value="some">
          Release
        </button>{' '}
        <button type="submit" name="do" value="all">
          Resume all
        </button>
      </p>
    </form>
  )
}
