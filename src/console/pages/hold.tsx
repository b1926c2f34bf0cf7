import { queryOf } from '../failure-filter.ts'
import type { HoldName } from '../holding.ts'
import { Layout } from './console-layout.tsx'
import { countFailed } from './words.ts'
import { count, Moment, plural } from '../../base/pages/words.tsx'
import { Allowed, FormToken } from './viewer.tsx'
import type { Hold } from '../../ledger/hot/holds.ts'

/** Such as "handler chart" or "all work". */
export function nameOfHold({ kind, name }: HoldName): string {
  return kind === 'all' ? 'all work' : `${kind} ${name}`
}

/** The page on which one handler, one system or all work is paused and resumed. */
export function addressOfHold({ kind, name }: HoldName): string {
  return `/handlers/hold${queryOf({ kind, name })}`
}

/** Says what is paused, since when and why; nothing where nothing is. */
export function HoldBanner({ holds }: { holds: readonly Hold[] }) {
  if (holds.length === 0) return null
  return (
    <div class="note warn">
      <p>Paused: what is received is stored, and this work waits until somebody resumes it.</p>
      <ul>
        {holds.map((hold) => (
          <li key={nameOfHold(hold)}>
            <a href={addressOfHold(hold)}>{nameOfHold(hold)}</a> since <Moment at={hold.since} />
            {hold.reason !== undefined && `: ${hold.reason}`}
          </li>
        ))}
      </ul>
    </div>
  )
}

interface HoldPageProps {
  target: HoldName
  /** Absent where it is not paused. */
  hold: Hold | undefined
  /** Pieces of work that wait for it; `undefined` where it is not paused, or not counted yet. */
  waiting: number | undefined
  /** What somebody let through a moment ago, and whether others still wait. */
  letThrough: { resources: number; more: boolean } | undefined
  stamp: string
}

/** Pauses one handler, one system or all work, or lets it go on: all at once, or so many resources at a time. */
export function HoldPage({ target, hold, waiting, letThrough, stamp }: HoldPageProps) {
  const fields = { kind: target.kind, name: target.name, stamp }
  return (
    <Layout title={hold === undefined ? `Pause ${nameOfHold(target)}` : `Paused: ${nameOfHold(target)}`} at="/handlers">
      {letThrough !== undefined && (
        <p class="note" role="status">
          {count(letThrough.resources)} {plural(letThrough.resources, 'resource')} let through
          {letThrough.more ? '; others wait.' : '; no others wait.'}
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
                <Moment at={hold.since} />
              </dd>
            </div>
            <div>
              <dt>Waiting for it</dt>
              <dd>{waiting === undefined ? '…' : countFailed(waiting)}</dd>
            </div>
          </dl>
          <p>{hold.reason === undefined ? 'Nobody said why.' : `Why: ${hold.reason}`}</p>
          <Allowed to="operate">
            <ResumeForm fields={fields} />
          </Allowed>
        </>
      )}
      <p>
        <a href="/handlers">Handlers</a>
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
  handler: 'It is not run, and its work waits; other handlers go on.',
  system: 'It is not asked for anything, and work that needs it waits.',
  all: 'No handler is run and nothing is polled.',
} as const

function PauseForm({ target, fields }: { target: HoldName; fields: Fields }) {
  return (
    <form method="post" action="/handlers/pause" aria-label="Pause">
      <HiddenFields fields={fields} />
      <p>
        {meanings[target.kind]} Webhooks are taken as ever, nothing is lost, and what is in work ends first. It holds
        for all processes and over restarts.
      </p>
      <p>
        <label for="reason">Why, for whoever looks; nothing about a patient</label>
        <input id="reason" name="reason" type="text" required minLength={3} maxLength={200} autoComplete="off" />
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
        <label for="limit">Resources to let through, those that wait longest first</label>
        <input id="limit" name="limit" type="text" inputMode="numeric" pattern="[1-9][0-9]{0,4}" value="10" required />
      </p>
      <p>
        <button type="submit" name="do" value="some">
          Let so many through
        </button>{' '}
        <button type="submit" class="act" name="do" value="all">
          Resume all of it
        </button>
      </p>
    </form>
  )
}
